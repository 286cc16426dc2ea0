// Drags with a pointer. A movement of a few pixels is still a click, and a drag causes no click.

const MOVED_PX = 4

type Drag = {
  move(event: PointerEvent): void
  /** Not called if the pointer has not moved, or the drag is cancelled. */
  drop?(event: PointerEvent): void
  /** Called afterwards in any case. */
  end?(): void
}

/** `begin` returns undefined where no drag begins. */
export function watchDrags(element: GlobalEventHandlers, begin: (event: PointerEvent) => Drag | undefined) {
  element.addEventListener('dragstart', (event) => event.preventDefault())
  element.addEventListener('pointerdown', (start) => {
    const drag = start.button === 0 ? begin(start) : undefined
    if (drag) follow(start, drag)
  })
}

// Watches the window, because the pointer may leave the element.
function follow(start: PointerEvent, drag: Drag) {
  const watching = new AbortController()
  let isMoved = false
  const end = () => {
    watching.abort()
    drag.end?.()
  }
  const watch = (type: 'pointermove' | 'pointerup' | 'pointercancel', run: (event: PointerEvent) => void) =>
    addEventListener(type, (event) => event.pointerId === start.pointerId && run(event), watching)
  watch('pointermove', (event) => {
    isMoved ||= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > MOVED_PX
    if (isMoved) drag.move(event)
  })
  watch('pointerup', (event) => {
    if (isMoved) {
      addEventListener('click', stopClick, { capture: true, once: true })
      // If the drag causes no click, the next click must get through.
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
