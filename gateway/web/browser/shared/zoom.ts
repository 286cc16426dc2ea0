// Zooms a map or a floor plan: by buttons, by keys, by the wheel and with two fingers.
import { clamp, closest, isShortcut } from './dom.ts'

const LARGEST = 4
const STEP = 1.4
const WHEEL = 0.004
const KEYS: Record<string, string> = { '+': 'in', '=': 'in', '-': 'out', 0: 'whole' }

type ScreenPoint = { clientX: number; clientY: number }

/** The wheel zooms with Ctrl, as a pinch on a touchpad does, or, with `byWheel`, without it too. */
export function makeZoomable(main: Element, { byWheel = false } = {}) {
  const box = main.querySelector<HTMLElement>('.map-scroll')
  const canvas = main.querySelector<HTMLElement>('.map-canvas')
  const tools = main.querySelector<HTMLElement>('[data-zoom]')
  if (!box || !canvas || !tools) return undefined
  const view = createView(box, canvas)
  tools.hidden = false
  tools.addEventListener('click', (event) => {
    const by = closest(event, '[data-by]')?.dataset.by
    if (by) view.zoom(by)
  })
  box.addEventListener('keydown', (event) => {
    const by = KEYS[event.key]
    if (by === undefined || isShortcut(event)) return
    event.preventDefault()
    view.zoom(by)
  })
  const zoomByWheel = (event: WheelEvent) => {
    // Browsers send pinch gestures on a touchpad as wheel events with Ctrl.
    if (!event.ctrlKey && (!byWheel || event.shiftKey)) return
    event.preventDefault()
    view.zoomBy(Math.exp(-event.deltaY * WHEEL), event)
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
  /** The width at which the whole map is visible. */
  const whole = () => {
    const most = Number.parseFloat(getComputedStyle(box).maxHeight) || 0
    const room = Math.max(box.clientHeight, most)
    return Math.min(box.clientWidth, (room * canvas.offsetWidth) / canvas.offsetHeight)
  }

  /** Keeps the given point in place, or else the middle. */
  function show(wanted: number, around?: ScreenPoint) {
    const frame = box.getBoundingClientRect()
    const x = around ? around.clientX - frame.left : box.clientWidth / 2
    const y = around ? around.clientY - frame.top : box.clientHeight / 2
    // While the picture is smaller than the box it cannot scroll, and the point drifts. So the original point
    // is kept.
    const isSame = kept?.x === x && kept.y === y && kept.left === box.scrollLeft && kept.top === box.scrollTop
    const { across, down } = (isSame && kept) || {
      across: (box.scrollLeft + x) / canvas.offsetWidth,
      down: (box.scrollTop + y) / canvas.offsetHeight,
    }
    const width = clamp(wanted, Math.min(whole(), first), first * LARGEST)
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
      else zoomBy(by === 'in' ? STEP : 1 / STEP)
    },
  }
}

/** One finger scrolls, as everywhere; two fingers zoom. */
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
