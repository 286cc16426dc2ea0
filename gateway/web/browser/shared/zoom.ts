// Zooms a map or a floor plan: with buttons, with keys, with the wheel and with two fingers.
import { clamp, closestElement, hasShortcutModifier } from './dom.ts'

const ZOOM_MAX = 4
const ZOOM_STEP = 1.4
const WHEEL_ZOOM_FACTOR = 0.004
const ZOOM_KEYS: Record<string, string> = { '+': 'in', '=': 'in', '-': 'out', 0: 'whole' }

type ScreenPoint = { clientX: number; clientY: number }

/** Makes a map zoomable. The wheel zooms if Ctrl is held, which is also how browsers report a pinch on a
 * touchpad. If `byWheel` is set, the wheel always zooms. */
export function makeZoomable(main: Element, { byWheel = false } = {}) {
  const box = main.querySelector<HTMLElement>('.map-scroll')
  const canvas = main.querySelector<HTMLElement>('.map-canvas')
  const tools = main.querySelector<HTMLElement>('[data-zoom]')
  if (!box || !canvas || !tools) return undefined
  const view = createView(box, canvas)
  tools.hidden = false
  tools.addEventListener('click', (event) => {
    const by = closestElement(event, '[data-by]')?.dataset.by
    if (by) view.zoom(by)
  })
  box.addEventListener('keydown', (event) => {
    const by = ZOOM_KEYS[event.key]
    if (by === undefined || hasShortcutModifier(event)) return
    event.preventDefault()
    view.zoom(by)
  })
  const zoomByWheel = (event: WheelEvent) => {
    // Browsers send pinch gestures on a touchpad as wheel events with Ctrl.
    if (!event.ctrlKey && (!byWheel || event.shiftKey)) return
    event.preventDefault()
    view.zoomBy(Math.exp(-event.deltaY * WHEEL_ZOOM_FACTOR), event)
  }
  box.addEventListener('wheel', zoomByWheel, { passive: false })
  watchFingers(box, view)
  return view
}

type MapView = ReturnType<typeof createView>

function createView(box: HTMLElement, canvas: HTMLElement) {
  const first = canvas.offsetWidth
  let kept: { x: number; y: number; across: number; down: number; left: number; top: number } | undefined
  const zoomBy = (factor: number, around?: ScreenPoint) => show(canvas.offsetWidth * factor, around)
  /** Returns the width at which the whole map is visible. */
  const whole = () => {
    const most = Number.parseFloat(getComputedStyle(box).maxHeight) || 0
    const room = Math.max(box.clientHeight, most)
    return Math.min(box.clientWidth, (room * canvas.offsetWidth) / canvas.offsetHeight)
  }

  /** Zooms, and keeps the given point (by default the middle) in place. */
  function show(wanted: number, around?: ScreenPoint) {
    const frame = box.getBoundingClientRect()
    const x = around ? around.clientX - frame.left : box.clientWidth / 2
    const y = around ? around.clientY - frame.top : box.clientHeight / 2
    // Keeps the original point, because a picture that is smaller than its box cannot scroll, and the point
    // would otherwise drift.
    const isSame = kept?.x === x && kept.y === y && kept.left === box.scrollLeft && kept.top === box.scrollTop
    const { across, down } = (isSame && kept) || {
      across: (box.scrollLeft + x) / canvas.offsetWidth,
      down: (box.scrollTop + y) / canvas.offsetHeight,
    }
    const width = clamp(wanted, Math.min(whole(), first), first * ZOOM_MAX)
    canvas.style.setProperty('width', `${width}px`)
    canvas.style.setProperty('min-width', '0')
    box.scrollLeft = across * canvas.offsetWidth - x
    box.scrollTop = down * canvas.offsetHeight - y
    kept = { x, y, across, down, left: box.scrollLeft, top: box.scrollTop }
  }

  return {
    zoomBy,
    zoom(by: string) {
      if (by === 'whole') show(whole())
      else zoomBy(by === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP)
    },
  }
}

/** Zooms with two fingers. One finger scrolls, as on any page. */
function watchFingers(box: HTMLElement, view: MapView) {
  let apart = 0
  const read = ({ touches: [one, other] }: TouchEvent) =>
    one &&
    other && {
      clientX: (one.clientX + other.clientX) / 2,
      clientY: (one.clientY + other.clientY) / 2,
      apart: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
    }
  box.addEventListener('touchstart', (event) => {
    apart = read(event)?.apart ?? 0
  })
  const zoom = (event: TouchEvent) => {
    const fingers = read(event)
    if (!fingers || apart === 0) return
    event.preventDefault()
    view.zoomBy(fingers.apart / apart, fingers)
    apart = fingers.apart
  }
  box.addEventListener('touchmove', zoom, { passive: false })
}
