// Lets the viewer zoom and drag a map: with two fingers, the wheel, a double tap, the mouse, buttons and keys.
import { closestElement, hasShortcutModifier } from './dom.ts'
import { type Finger, MapView, type Zoom } from './map-view.ts'

const DOUBLE_TAP_ZOOM = 2
const DOUBLE_TAP_MS = 300
const WHEEL_ZOOM_FACTOR = 0.004
const ZOOM_KEYS: Record<string, Zoom> = { '+': 'in', '=': 'in', '-': 'out', 0: 'fit' }
const DRAG_DISTANCE_PX = 6
const TAP_REACH_PX = 22

/** Makes the map of a page zoomable. Returns undefined if the page has no map. */
export function watchMap(main: Element): MapView | undefined {
  const box = main.querySelector<HTMLElement>('.map-scroll')
  const canvas = main.querySelector<HTMLElement>('.map-canvas[data-view]')
  if (!box || !canvas) return undefined
  const view = new MapView(box, canvas)
  watchButtons(main, box, view)
  watchWheel(box, view)
  watchFingers(box, view)
  return view
}

function watchButtons(main: Element, box: HTMLElement, view: MapView) {
  // Zooms in on the cell in the middle, because there may be nothing else in the middle.
  const zoom = (by: Zoom) => {
    const { left, top, width, height } = box.getBoundingClientRect()
    const middle = { clientX: left + width / 2, clientY: top + height / 2 }
    view.glide(by, by === 'in' ? findNearestCell(box, middle, width / 2)?.point : undefined)
  }
  const tools = main.querySelector<HTMLElement>('[data-zoom]')
  if (tools) tools.hidden = false
  tools?.addEventListener('click', (event) => {
    const by = closestElement(event, '[data-by]')?.dataset.by
    if (by) zoom(by === 'whole' ? 'fit' : by === 'in' ? 'in' : 'out')
  })
  main.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || hasShortcutModifier(event)) return
    const by = ZOOM_KEYS[event.key]
    if (by === undefined || !closestElement(event, '.map-scroll, [data-zoom]')) return
    event.preventDefault()
    zoom(by)
  })
  // Undoes the scrolling of the browser, because the map moves to show a focused cell.
  box.addEventListener('scroll', () => box.scrollTo(0, 0))
}

function watchWheel(box: HTMLElement, view: MapView) {
  const turn = (event: WheelEvent) => {
    // A touchpad moves in both directions, and reports a pinch as a wheel with Ctrl.
    const isPan = !event.ctrlKey && (event.shiftKey || event.deltaX !== 0)
    const factor = Math.exp(-event.deltaY * WHEEL_ZOOM_FACTOR)
    // If the map cannot zoom out further, the page scrolls.
    if (isPan ? view.isFitted : !event.ctrlKey && !view.canZoom(factor)) return
    event.preventDefault()
    if (isPan) view.panBy({ x: -event.deltaX, y: -event.deltaY })
    else view.zoomBy(factor, event)
  }
  box.addEventListener('wheel', turn, { passive: false })
}

/** Watches fingers and the mouse: one finger drags, two fingers zoom, and a double tap zooms in. */
function watchFingers(box: HTMLElement, view: MapView) {
  const fingers = new Map<number, Finger>()
  let start: Finger | undefined
  let isDragged = false
  let speed = { x: 0, y: 0 }
  let lastTap = { ms: 0, clientX: 0, clientY: 0 }
  const read = () => {
    const [one, other = one] = [...fingers.values()]
    return {
      clientX: ((one?.clientX ?? 0) + (other?.clientX ?? 0)) / 2,
      clientY: ((one?.clientY ?? 0) + (other?.clientY ?? 0)) / 2,
      apart: Math.hypot(
        (one?.clientX ?? 0) - (other?.clientX ?? 0),
        (one?.clientY ?? 0) - (other?.clientY ?? 0),
      ),
    }
  }
  box.addEventListener('dragstart', (event) => event.preventDefault())
  box.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    if (fingers.size === 0) {
      start = event
      isDragged = false
    }
    fingers.set(event.pointerId, event)
  })
  const follow = (event: PointerEvent) => {
    if (!fingers.has(event.pointerId)) return
    const before = read()
    fingers.set(event.pointerId, event)
    const now = read()
    if (!isDragged && fingers.size === 1 && start && findDistance(start, now) < DRAG_DISTANCE_PX) return
    if (!isDragged) box.setPointerCapture(event.pointerId)
    isDragged = true
    box.classList.add('held')
    const by = { x: now.clientX - before.clientX, y: now.clientY - before.clientY }
    speed = fingers.size > 1 ? { x: 0, y: 0 } : by
    view.zoomBy(before.apart > 0 ? now.apart / before.apart : 1, before, by)
  }
  const release = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId) || fingers.size > 0) return
    box.classList.remove('held')
    if (isDragged) return event.pointerType === 'mouse' ? view.settle() : view.fling(speed)
    const isDouble =
      event.timeStamp - lastTap.ms < DOUBLE_TAP_MS && findDistance(lastTap, event) < TAP_REACH_PX
    lastTap = { ms: isDouble ? 0 : event.timeStamp, clientX: event.clientX, clientY: event.clientY }
    if (isDouble) view.glide('in', event, DOUBLE_TAP_ZOOM)
  }
  addEventListener('pointermove', follow)
  addEventListener('pointerup', release)
  addEventListener('pointercancel', release)
  const click = (event: MouseEvent) => {
    // A drag is not a click.
    const isPointed = event.detail > 0
    if (isPointed && isDragged) event.stopPropagation()
    if (isPointed && isDragged) event.preventDefault()
    else if (isPointed && !closestElement(event, '.cell'))
      findNearestCell(box, event)?.cell.dispatchEvent(new MouseEvent('click', event))
    isDragged = false
  }
  box.addEventListener('click', click, { capture: true })
}

const findDistance = (one: Finger, other: Finger) =>
  Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)

/** Finds the cell nearest to a point, because a finger seldom hits a small dot exactly. */
function findNearestCell(box: HTMLElement, from: Finger, reachPx = TAP_REACH_PX) {
  let nearest: { cell: SVGElement; point: Finger } | undefined
  let leastPx = reachPx
  for (const cell of box.querySelectorAll<SVGElement>('a.cell')) {
    const { left, top, width, height } = cell.getBoundingClientRect()
    const point = { clientX: left + width / 2, clientY: top + height / 2 }
    const px = findDistance(point, from)
    if (px < leastPx) [nearest, leastPx] = [{ cell, point }, px]
  }
  return nearest
}
