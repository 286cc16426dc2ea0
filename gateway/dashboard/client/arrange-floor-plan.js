// @ts-check
// Arranges a floor plan: by dragging, by selecting a cell and then its position, with the keyboard, and in
// rows; one cell or several. Each step is saved at once and can be undone.

import { Cell, FloorPlan, MIDDLE } from './floor-plan.js'
import { watchKeys, watchPointer } from './move-input.js'
import { Steps } from './move-save.js'
import { watchRows } from './place-in-rows.js'
import { Selection, watchFrame } from './select-cells.js'
import { t } from './translate.js'

const page = document.querySelector('[data-arrange]')
const floorPlan = page?.querySelector('svg.map-cells')
const form = page?.querySelector('[data-moves] form')
if (page && floorPlan instanceof SVGSVGElement && form instanceof HTMLFormElement)
  arrange(page, new FloorPlan(floorPlan), form)

/**
 * @param {Element} page
 * @param {FloorPlan} floorPlan
 * @param {HTMLFormElement} form
 */
function arrange(page, floorPlan, form) {
  const notice = /** @type {HTMLElement} */ (page.querySelector('[data-saved]'))
  const waiting = /** @type {HTMLElement} */ (page.querySelector('.waiting'))
  const count = /** @type {HTMLElement} */ (page.querySelector('[data-count]'))
  const rows = /** @type {HTMLElement} */ (page.querySelector('[data-rows]'))
  const elements = /** @type {NodeListOf<SVGGElement>} */ (floorPlan.element.querySelectorAll('.cell'))
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (rows.querySelectorAll('input[name="ids"]'))
  const cells = [...elements].map((element) => new Cell(element, floorPlan))
  let refreshRows = () => {}
  const announce = (/** @type {string} */ sentence, tone = '') => {
    notice.className = `notice ${tone}`
    notice.textContent = sentence
  }
  const steps = new Steps(cells, form, {
    announce,
    changed() {
      listWaiting(cells, waiting, count)
      refreshRows()
      showSteps(page, steps)
    },
  })
  const selection = new Selection(cells, [...boxes], {
    announce,
    changed(number) {
      floorPlan.element.classList.toggle('choosing', number === 1)
      refreshRows()
    },
  })
  refreshRows = watchRows(rows, floorPlan, cells, (moves) => steps.add(moves))
  watchFrame(floorPlan, selection)
  watchCells(floorPlan, { waiting, steps, selection })
  watchWaiting(waiting, floorPlan, { steps, selection })
  watchTools(page, floorPlan, { steps, selection })
  // Shown from the start, so that the first message does not move the floor plan under the finger.
  notice.hidden = false
  for (const help of page.querySelectorAll('[data-with-script]')) help.removeAttribute('hidden')
  steps.changed()
}

/**
 * A single selected cell moves to the next point of the floor plan that is clicked.
 * @param {FloorPlan} floorPlan
 * @param {{ waiting: HTMLElement, steps: Steps, selection: Selection }} parts
 */
function watchCells(floorPlan, { waiting, steps, selection }) {
  const mover = {
    with: (/** @type {Cell} */ cell) => selection.with(cell),
    add: (/** @type {import('./move-input.js').Move[]} */ moves) => steps.add(moves),
    settle: () => steps.settle(),
  }
  for (const cell of selection.cells) {
    watchPointer(cell, mover)
    cell.element.addEventListener('keydown', (event) => {
      if (event.key !== ' ' || !cell.shown) return
      event.preventDefault()
      selection.toggle(cell)
    })
    // A cell that is removed from the floor plan passes the focus to its entry in the list.
    watchKeys(cell, mover, () => cell.isBelow || entryOf(waiting, cell.id)?.focus())
    cell.element.addEventListener('click', (event) => {
      event.stopPropagation()
      if (event.shiftKey || event.ctrlKey || event.metaKey) selection.toggle(cell)
      else selection.only(cell)
    })
  }
  floorPlan.element.addEventListener('click', (event) => {
    const [cell, ...others] = selection.all
    if (!cell) return
    selection.set([])
    if (others.length === 0) steps.add([{ cell, to: floorPlan.snappedAt(floorPlan.pointOf(event)) }])
  })
}

/**
 * @param {HTMLElement} waiting
 * @param {FloorPlan} floorPlan
 * @param {{ steps: Steps, selection: Selection }} parts
 */
function watchWaiting(waiting, floorPlan, { steps, selection }) {
  waiting.addEventListener('click', (event) => {
    const entry = event.target instanceof Element ? event.target.closest('[data-waiting]') : null
    const cell = selection.cells.find(({ id }) => id === entry?.getAttribute('data-waiting'))
    if (!cell) return
    event.preventDefault()
    if (event.detail > 0) return event.shiftKey ? selection.toggle(cell) : selection.only(cell)
    // Enter puts the cell in the middle, from where the arrow keys move it.
    steps.add([{ cell, to: floorPlan.inside(MIDDLE) }])
    cell.element.focus()
  })
}

/**
 * @param {Element} page
 * @param {FloorPlan} floorPlan
 * @param {{ steps: Steps, selection: Selection }} parts
 */
function watchTools(page, floorPlan, { steps, selection }) {
  page.querySelector('[data-undo]')?.addEventListener('click', () => steps.undo())
  page.querySelector('[data-redo]')?.addEventListener('click', () => steps.redo())
  const snap = page.querySelector('[data-snap]')
  const readSnap = () => {
    floorPlan.snaps = !(snap instanceof HTMLInputElement) || snap.checked
  }
  snap?.addEventListener('change', readSnap)
  readSnap()
  document.addEventListener('keydown', (event) => {
    // A text field has its own undo.
    const { target, key } = event
    const isTyping = target instanceof HTMLInputElement && target.type === 'text'
    if (isTyping || event.altKey) return
    if (key === 'Escape' && selection.chosen.size > 0) return selection.set([])
    if (!(event.ctrlKey || event.metaKey)) return
    const letter = key.toLowerCase()
    if (letter !== 'z' && letter !== 'y') return
    event.preventDefault()
    if (letter === 'y' || event.shiftKey) steps.redo()
    else steps.undo()
  })
}

/**
 * Uses aria-disabled only, so that a focused button keeps the focus.
 * @param {Element} page
 * @param {Steps} steps
 */
function showSteps(page, { done, undone }) {
  page.querySelector('[data-undo]')?.setAttribute('aria-disabled', String(done.length === 0))
  page.querySelector('[data-redo]')?.setAttribute('aria-disabled', String(undone.length === 0))
}

/**
 * @param {Cell[]} cells
 * @param {HTMLElement} waiting
 * @param {HTMLElement} count
 */
function listWaiting(cells, waiting, count) {
  const away = cells.filter(({ shown }) => !shown)
  count.textContent =
    away.length === 0
      ? t`Everything is on the floor plan.`
      : t`${away.length} of ${cells.length} desks and rooms:`
  const entries = away.map((cell) => entryOf(waiting, cell.id)?.parentElement ?? newEntry(cell))
  const isSame = entries.length === waiting.children.length && entries.every((each) => each.parentElement)
  // Replaced only if the list has changed, so that a focused entry keeps the focus.
  if (!isSame) waiting.replaceChildren(...entries)
}

/**
 * @param {HTMLElement} waiting
 * @param {string} id
 */
function entryOf(waiting, id) {
  return /** @type {HTMLElement | null} */ (waiting.querySelector(`[data-waiting="${id}"] a`))
}

/** @param {Cell} cell */
function newEntry({ id, name }) {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  entry.setAttribute('data-waiting', id)
  link.href = '#waiting'
  link.textContent = name
  entry.append(link)
  return entry
}
