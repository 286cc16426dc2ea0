// @ts-check
// Moves cells of a floor plan: by dragging with any pointer, and with the keyboard. A selected cell moves
// together with the other selected ones.
import { MIDDLE } from './floor-plan.js'

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').Point} Point */
/** @typedef {{ cell: Cell, to: Point | undefined }} Move */
/** @typedef {{ with: (cell: Cell) => Cell[], add: (moves: Move[]) => void, settle: () => void }} Mover */

const MOVED_PX = 4
const STEP = 0.01
const FINE_STEP = 0.002
const KEYS_DEBOUNCE_MS = 500
/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * @param {Cell} cell
 * @param {Mover} mover
 */
export function watchPointer(cell, mover) {
  const { element, floorPlan } = cell
  /** @type {{ x: number, y: number, from: Point, carried: Carried[], isMoved: boolean } | undefined} */
  let drag
  const carry = (
    /** @type {PointerEvent} */ event,
    /** @type {NonNullable<typeof drag>} */ { from, carried },
  ) => {
    const { x, y } = floorPlan.pointOf(event)
    return carryTo(cell, carried, { x: x - from.x, y: y - from.y })
  }
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    mover.settle()
    element.setPointerCapture(event.pointerId)
    const carried = mover.with(cell).map((each) => ({ cell: each, start: each.point }))
    drag = { x: event.clientX, y: event.clientY, from: floorPlan.pointOf(event), carried, isMoved: false }
  })
  element.addEventListener('pointermove', (event) => {
    if (!drag) return
    drag.isMoved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > MOVED_PX
    if (!drag.isMoved) return
    for (const { cell: each, to, point } of carry(event, drag)) {
      each.element.classList.add('dragged')
      each.drawAt(to ? floorPlan.pointAt(to) : point)
    }
  })
  // Keeps a finger from scrolling the page. Browsers ignore touch-action inside an SVG.
  element.addEventListener('touchmove', (event) => drag && event.preventDefault(), { passive: false })
  let wasDragged = false
  const end = (/** @type {PointerEvent} */ event) => {
    const ended = drag
    drag = undefined
    wasDragged = ended?.isMoved ?? false
    for (const { cell: each } of ended?.carried ?? []) each.element.classList.remove('dragged')
    if (ended?.isMoved && event.type === 'pointerup') return mover.add(carry(event, ended))
    for (const { cell: each } of ended?.carried ?? []) each.show(each.shown)
  }
  element.addEventListener('pointerup', end)
  element.addEventListener('pointercancel', end)
  // A drag ends with a click event, which the user did not intend.
  element.addEventListener('click', (event) => {
    if (wasDragged) event.stopImmediatePropagation()
    wasDragged = false
  })
}

/** @typedef {{ cell: Cell, start: Point }} Carried */

/**
 * The dragged cell snaps to the grid, and the others move by the same distance. Below the floor plan all of
 * them are removed from it.
 * @param {Cell} held
 * @param {Carried[]} carried
 * @param {Point} by
 */
function carryTo(held, carried, by) {
  const { floorPlan } = held
  const start = carried.find(({ cell }) => cell === held)?.start ?? held.point
  const target = floorPlan.snappedAt({ x: start.x + by.x, y: start.y + by.y })
  const offset = target ? between(start, floorPlan.pointAt(target)) : by
  const standing = carried.flatMap(({ cell }) => cell.shown ?? [])
  const share = { x: offset.x / floorPlan.width, y: offset.y / floorPlan.height }
  const limited = target && standing.length > 0 ? floorPlan.pointAt(floorPlan.limit(standing, share)) : offset
  return carried.map(({ cell, start: from }) => {
    const point = { x: from.x + limited.x, y: from.y + limited.y }
    return { cell, point, to: target && floorPlan.shareAt(point) }
  })
}

/**
 * @param {Point} from
 * @param {Point} to
 */
function between(from, to) {
  return { x: to.x - from.x, y: to.y - from.y }
}

/**
 * Several keys in a row are one step.
 * @param {Cell} cell
 * @param {Mover} mover
 * @param {() => void} takenOff
 */
export function watchKeys(cell, mover, takenOff) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let debounce
  const flush = () => {
    clearTimeout(debounce)
    mover.settle()
  }
  cell.element.addEventListener('keydown', (event) => {
    const moves = keyed(cell, mover.with(cell), event)
    if (moves.length === 0) return
    event.preventDefault()
    clearTimeout(debounce)
    debounce = setTimeout(flush, KEYS_DEBOUNCE_MS)
    for (const { cell: each, to } of moves) each.show(to)
    if (cell.shown) return
    flush()
    takenOff()
  })
  cell.element.addEventListener('blur', flush)
  addEventListener('pagehide', flush)
}

/**
 * The moves that a key causes; none for other keys.
 * @param {Cell} cell
 * @param {Cell[]} together
 * @param {KeyboardEvent} event
 * @returns {Move[]}
 */
function keyed(cell, together, { key, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return []
  const { shown, floorPlan } = cell
  const direction = DIRECTIONS[key]
  if (!shown) {
    return direction || key === 'Enter' || key === ' ' ? [{ cell, to: floorPlan.inside(MIDDLE) }] : []
  }
  if (key === 'Delete' || key === 'Backspace') return together.map((each) => ({ cell: each, to: undefined }))
  if (!direction) return []
  const by = floorPlan.limit(
    together.flatMap((each) => each.shown ?? []),
    { x: stepOf(shown.x, direction[0]), y: stepOf(shown.y, direction[1]) },
  )
  return together.flatMap((each) =>
    each.shown
      ? [{ cell: each, to: floorPlan.inside({ x: each.shown.x + by.x, y: each.shown.y + by.y }) }]
      : [],
  )

  /**
   * A small step with Shift, else to the next line of the grid.
   * @param {number} share
   * @param {number} direction
   */
  function stepOf(share, direction) {
    if (direction === 0) return 0
    return shiftKey ? direction * FINE_STEP : floorPlan.snap(share + direction * STEP) - share
  }
}
