// @ts-check
// The selection of cells on a floor plan: by click, several with Shift, with a frame drawn by mouse, with
// Space, and with the boxes of the list.
import { nameAll } from './move-save.js'
import { t } from './translate.js'

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').FloorPlan} FloorPlan */
/** @typedef {import('./floor-plan.js').Point} Point */

const DRAWN_PX = 4

export class Selection {
  /**
   * @param {Cell[]} cells
   * @param {HTMLInputElement[]} boxes
   * @param {{ announce: (sentence: string) => void, changed: (number: number) => void }} callbacks
   */
  constructor(cells, boxes, { announce, changed }) {
    /** @type {Set<Cell>} */
    this.chosen = new Set()
    this.cells = cells
    this.boxes = new Map(boxes.map((box) => [box.value, box]))
    this.announce = announce
    this.changed = changed
    for (const box of boxes) box.addEventListener('change', () => this.#readBoxes())
    // The browser restores the boxes of a page from its back/forward cache.
    this.#readBoxes()
  }

  /** In the order of the list. */
  get all() {
    return this.cells.filter((cell) => this.chosen.has(cell))
  }

  /**
   * The cells that move together with this one.
   * @param {Cell} cell
   */
  with(cell) {
    return this.chosen.has(cell) ? this.all : [cell]
  }

  /** @param {Iterable<Cell>} cells */
  set(cells) {
    const before = this.chosen.size
    this.chosen = new Set(cells)
    for (const cell of this.cells) {
      const isChosen = this.chosen.has(cell)
      cell.element.classList.toggle('chosen', isChosen)
      cell.element.setAttribute('aria-pressed', String(isChosen))
      const box = this.boxes.get(cell.id)
      if (box) box.checked = isChosen
    }
    this.#say(before)
    this.changed(this.chosen.size)
  }

  /** @param {Cell} cell */
  toggle(cell) {
    this.set(this.chosen.has(cell) ? this.all.filter((each) => each !== cell) : [...this.chosen, cell])
  }

  /** @param {Cell} cell */
  only(cell) {
    this.set(this.chosen.size === 1 && this.chosen.has(cell) ? [] : [cell])
  }

  /** @param {number} before */
  #say(before) {
    const [first] = this.all
    if (!first) return before > 0 && this.announce(t`Nothing is selected.`)
    if (this.chosen.size === 1)
      return this.announce(t`${first.name}: now tap its position on the floor plan.`)
    const names = nameAll(this.all)
    this.announce(t`${this.chosen.size} selected: ${names}. Drag one of them, or use the arrow keys.`)
  }

  #readBoxes() {
    this.set(this.cells.filter(({ id }) => this.boxes.get(id)?.checked))
  }
}

/**
 * The mouse draws a frame that starts on an empty point. A finger scrolls.
 * @param {FloorPlan} floorPlan
 * @param {Selection} selection
 */
export function watchFrame(floorPlan, selection) {
  const { element } = floorPlan
  const frame = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  frame.classList.add('frame')
  /** @type {{ x: number, y: number, from: Point, isDrawn: boolean } | undefined} */
  let drawing
  let wasDrawn = false
  element.addEventListener('pointerdown', (event) => {
    wasDrawn = false
    const isFree = event.target instanceof Element && !event.target.closest('.cell')
    if (!isFree || event.button !== 0 || event.pointerType !== 'mouse') return
    // Otherwise the drag selects text.
    event.preventDefault()
    element.setPointerCapture(event.pointerId)
    drawing = { x: event.clientX, y: event.clientY, from: floorPlan.pointOf(event), isDrawn: false }
  })
  element.addEventListener('pointermove', (event) => {
    if (!drawing) return
    drawing.isDrawn ||= Math.hypot(event.clientX - drawing.x, event.clientY - drawing.y) > DRAWN_PX
    if (!drawing.isDrawn) return
    element.append(frame)
    const box = boxOf(drawing.from, floorPlan.pointOf(event))
    for (const [name, value] of Object.entries(box)) frame.setAttribute(name, String(value))
  })
  const end = (/** @type {PointerEvent} */ event) => {
    const ended = drawing
    drawing = undefined
    frame.remove()
    if (!ended?.isDrawn || event.type !== 'pointerup') return
    wasDrawn = true
    const box = boxOf(ended.from, floorPlan.pointOf(event))
    const inside = selection.cells.filter(
      (cell) => !cell.element.hasAttribute('hidden') && isIn(cell.point, box),
    )
    selection.set(event.shiftKey ? [...selection.chosen, ...inside] : inside)
  }
  element.addEventListener('pointerup', end)
  element.addEventListener('pointercancel', end)
  // The frame ends with a click event, which the user did not intend.
  element.addEventListener('click', (event) => {
    if (wasDrawn) event.stopImmediatePropagation()
    wasDrawn = false
  })
}

/**
 * @param {Point} one
 * @param {Point} other
 */
function boxOf(one, other) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) }
}

/**
 * @param {Point} point
 * @param {ReturnType<typeof boxOf>} box
 */
function isIn(point, { x, y, width, height }) {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
}
