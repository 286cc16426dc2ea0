// @ts-check
// How something on a floor plan is moved: by dragging it, with whatever points, and by keys.
import { MIDDLE } from './floor-plan.js'

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').Point} Point */

const MOVED_PX = 4
const STEP = 0.01
const FINE_STEP = 0.002
const KEYS_REST_MS = 500
/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * @param {Cell} cell
 * @param {(share: Point | undefined) => void} move
 */
export function watchPointer(cell, move) {
  const { element, floorPlan } = cell
  /** @type {{ x: number, y: number, offset: Point, isMoved: boolean } | undefined} */
  let drag
  /** @param {PointerEvent} event */
  const under = (event, /** @type {Point} */ offset) => {
    const point = floorPlan.pointOf(event)
    return { x: point.x + offset.x, y: point.y + offset.y }
  }
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    const from = floorPlan.pointOf(event)
    const { e, f } = element.transform.baseVal.getItem(0).matrix
    element.setPointerCapture(event.pointerId)
    drag = { x: event.clientX, y: event.clientY, offset: { x: e - from.x, y: f - from.y }, isMoved: false }
  })
  element.addEventListener('pointermove', (event) => {
    if (!drag) return
    drag.isMoved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > MOVED_PX
    if (!drag.isMoved) return
    element.classList.add('dragged')
    cell.drawAt(under(event, drag.offset))
  })
  // Else a finger moves the page. What style has for it (touch-action) browsers ignore inside a picture.
  element.addEventListener('touchmove', (event) => drag && event.preventDefault(), { passive: false })
  let wasDragged = false
  const end = (/** @type {PointerEvent} */ event) => {
    const ended = drag
    drag = undefined
    wasDragged = ended?.isMoved ?? false
    element.classList.remove('dragged')
    if (ended?.isMoved && event.type === 'pointerup') move(floorPlan.shareAt(under(event, ended.offset)))
    else if (ended) cell.show(cell.shown)
  }
  element.addEventListener('pointerup', end)
  element.addEventListener('pointercancel', end)
  // A drag ends with a click, which is none of a person's.
  element.addEventListener('click', (event) => {
    if (wasDragged) event.stopImmediatePropagation()
    wasDragged = false
  })
}

/**
 * Several keys in a row are one move.
 * @param {Cell} cell
 * @param {(share: Point | undefined) => void} move
 * @param {() => void} takenOff
 */
export function watchKeys(cell, move, takenOff) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting
  const flush = () => {
    if (resting === undefined) return
    clearTimeout(resting)
    resting = undefined
    move(cell.shown)
  }
  cell.element.addEventListener('keydown', (event) => {
    const next = keyed(cell, event)
    if (next === null) return
    event.preventDefault()
    clearTimeout(resting)
    resting = setTimeout(flush, KEYS_REST_MS)
    cell.show(next)
    if (!next) {
      flush()
      takenOff()
    }
  })
  cell.element.addEventListener('blur', flush)
  addEventListener('pagehide', flush)
}

/**
 * Where a key moves it; null where it is no key of ours.
 * @param {Cell} cell
 * @param {KeyboardEvent} event
 * @returns {Point | undefined | null}
 */
function keyed({ shown, floorPlan }, { key, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null
  if (key === 'Delete' || key === 'Backspace') return shown ? undefined : null
  const way = WAYS[key]
  if (!shown) return way || key === 'Enter' || key === ' ' ? floorPlan.inside(MIDDLE) : null
  if (!way) return null
  const step = shiftKey ? FINE_STEP : STEP
  return floorPlan.inside({ x: shown.x + way[0] * step, y: shown.y + way[1] * step })
}
