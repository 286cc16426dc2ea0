// Handles drags with a pointer. A movement of a few pixels still counts as a click, and a drag does not cause
// a click.

const DRAG_DISTANCE_PX = 4

type DragHandlers = {
  move(event: PointerEvent): void
  /** Drops the dragged element. Called only if the pointer has moved and the drag was not cancelled. */
  drop?(event: PointerEvent): void
  /** Cleans up at the end of every drag. */
  end?(): void
}

/** Watches drags on an element. `begin` returns undefined if no drag begins at that point. */
export function watchDrags(
  element: GlobalEventHandlers,
  begin: (event: PointerEvent) => DragHandlers | undefined,
) {
  element.addEventListener('dragstart', (event) => event.preventDefault())
  element.addEventListener('pointerdown', (start) => {
    const drag = start.button === 0 ? begin(start) : undefined
    if (drag) followDrag(start, drag)
  })
}

// Listens on the window during a drag, because the pointer may leave the element.
function followDrag(start: PointerEvent, drag: DragHandlers) {
  const watching = new AbortController()
  let isMoved = false
  const end = () => {
    watching.abort()
    drag.end?.()
  }
  const watch = (type: 'pointermove' | 'pointerup' | 'pointercancel', run: (event: PointerEvent) => void) =>
    addEventListener(type, (event) => event.pointerId === start.pointerId && run(event), watching)
  watch('pointermove', (event) => {
    isMoved ||= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > DRAG_DISTANCE_PX
    if (isMoved) drag.move(event)
  })
  watch('pointerup', (event) => {
    if (isMoved) {
      addEventListener('click', stopClick, { capture: true, once: true })
      // If the drag causes no click, the next click must not be suppressed.
      setTimeout(() => removeEventListener('click', stopClick, { capture: true }))
      drag.drop?.(event)
    }
    end()
  })
  watch('pointercancel', end)
  addEventListener('keydown', ({ key }) => key === 'Escape' && end(), watching)
}

function stopClick(event: Event) {
  event.preventDefault()
  event.stopPropagation()
}
