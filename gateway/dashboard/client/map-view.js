// @ts-check
// Zooms and moves the map. The picture is laid out again at each size, so that it stays sharp. It scrolls
// natively in its box.

const LARGEST = 4
const STEP = 1.4
const WHEEL = 0.004
const MOVED_PX = 4

/** @typedef {{ clientX: number, clientY: number }} Point */

/** @param {HTMLElement} main */
export function makeZoomable(main) {
  const box = main.querySelector('.map-scroll')
  const canvas = main.querySelector('.map-canvas')
  const tools = main.querySelector('[data-zoom]')
  if (!(box instanceof HTMLElement && canvas instanceof HTMLElement && tools instanceof HTMLElement)) return
  const view = new MapView(box, canvas)
  tools.hidden = false
  tools.addEventListener('click', (event) => {
    const by = event.target instanceof Element && event.target.closest('[data-by]')?.getAttribute('data-by')
    if (by) view.zoom(by)
  })
  box.addEventListener('keydown', (event) => {
    const by = { '+': 'in', '=': 'in', '-': 'out', 0: 'whole' }[event.key]
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    view.zoom(by)
  })
  // Browsers send pinch gestures on a touchpad as wheel events with Ctrl.
  box.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      view.zoomBy(Math.exp(-event.deltaY * WHEEL), event)
    },
    { passive: false },
  )
  watchFingers(box, view)
  watchMouse(box)
  main.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

class MapView {
  /**
   * @param {HTMLElement} box
   * @param {HTMLElement} canvas
   */
  constructor(box, canvas) {
    this.box = box
    this.canvas = canvas
    this.first = canvas.offsetWidth
    /** @type {{ x: number, y: number, across: number, down: number, left: number, top: number } | undefined} */
    this.kept = undefined
  }

  /** @param {string} by */
  zoom(by) {
    if (by === 'whole') this.show(this.whole())
    else this.zoomBy(by === 'in' ? STEP : 1 / STEP)
  }

  /**
   * @param {number} factor
   * @param {Point} [around]
   */
  zoomBy(factor, around) {
    this.show(this.canvas.offsetWidth * factor, around)
  }

  /** The width at which the whole map is visible. */
  whole() {
    const { box, canvas } = this
    return Math.min(box.clientWidth, (box.clientHeight * canvas.offsetWidth) / canvas.offsetHeight)
  }

  /**
   * Keeps the given point in place, or else the middle.
   * @param {number} wanted
   * @param {Point} [around]
   */
  show(wanted, around) {
    const { box, canvas } = this
    const frame = box.getBoundingClientRect()
    const x = around ? around.clientX - frame.left : box.clientWidth / 2
    const y = around ? around.clientY - frame.top : box.clientHeight / 2
    // While the picture is smaller than the box it cannot scroll, and the point drifts. So the original point
    // is kept.
    const { kept } = this
    const isSame = kept?.x === x && kept.y === y && kept.left === box.scrollLeft && kept.top === box.scrollTop
    const across = isSame ? kept.across : (box.scrollLeft + x) / canvas.offsetWidth
    const down = isSame ? kept.down : (box.scrollTop + y) / canvas.offsetHeight
    const width = Math.min(Math.max(wanted, Math.min(this.whole(), this.first)), this.first * LARGEST)
    canvas.style.setProperty('width', `${width}px`)
    canvas.style.setProperty('min-width', '0')
    box.scrollLeft = across * canvas.offsetWidth - x
    box.scrollTop = down * canvas.offsetHeight - y
    this.kept = { x, y, across, down, left: box.scrollLeft, top: box.scrollTop }
  }
}

/**
 * One finger scrolls, as everywhere; two fingers zoom.
 * @param {HTMLElement} box
 * @param {MapView} view
 */
function watchFingers(box, view) {
  let apart = 0
  /** @param {TouchEvent} event */
  const read = ({ touches: [one, other] }) => {
    if (!one || !other) return undefined
    const middle = {
      clientX: (one.clientX + other.clientX) / 2,
      clientY: (one.clientY + other.clientY) / 2,
    }
    return { middle, apart: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) }
  }
  box.addEventListener('touchstart', (event) => {
    apart = read(event)?.apart ?? 0
  })
  box.addEventListener(
    'touchmove',
    (event) => {
      const fingers = read(event)
      if (!fingers || apart === 0) return
      event.preventDefault()
      view.zoomBy(fingers.apart / apart, fingers.middle)
      apart = fingers.apart
    },
    { passive: false },
  )
}

/**
 * The mouse drags the map; a drag is not a click.
 * @param {HTMLElement} box
 */
function watchMouse(box) {
  /** @type {{ x: number, y: number, left: number, top: number, isMoved: boolean } | undefined} */
  let held
  box.addEventListener('dragstart', (event) => event.preventDefault())
  box.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return
    held = { x: event.clientX, y: event.clientY, left: box.scrollLeft, top: box.scrollTop, isMoved: false }
  })
  box.addEventListener('pointermove', (event) => {
    if (!held) return
    const [x, y] = [event.clientX - held.x, event.clientY - held.y]
    if (!held.isMoved && Math.hypot(x, y) <= MOVED_PX) return
    if (!held.isMoved) box.setPointerCapture(event.pointerId)
    held.isMoved = true
    box.classList.add('held')
    box.scrollLeft = held.left - x
    box.scrollTop = held.top - y
  })
  const end = () => {
    if (held?.isMoved) box.addEventListener('click', stopClick, { capture: true, once: true })
    // If the drag causes no click, the next click must get through.
    setTimeout(() => box.removeEventListener('click', stopClick, { capture: true }))
    held = undefined
    box.classList.remove('held')
  }
  box.addEventListener('pointerup', end)
  box.addEventListener('pointercancel', end)
}

/** @param {Event} event */
function stopClick(event) {
  event.preventDefault()
  event.stopPropagation()
}
