// @ts-check
// Arranging a floor plan: by dragging, by touching something and then its place, and by keys. Each move is saved at once.

import { Cell, FloorPlan, MIDDLE } from './floor-plan.js'
import { watchKeys, watchPointer } from './move-input.js'
import { Moves } from './move-save.js'

const page = document.querySelector('[data-arrange]')
const floorPlan = page?.querySelector('svg.map-cells')
const form = page?.querySelector('[data-place] form')
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
  const elements = /** @type {NodeListOf<SVGGElement>} */ (floorPlan.element.querySelectorAll('.cell'))
  const cells = [...elements].map((element) => new Cell(element, floorPlan))
  const changed = () => listWaiting(cells, waiting, count)
  const tell = (/** @type {string} */ sentence, tone = '') => {
    notice.className = `notice ${tone}`
    notice.textContent = sentence
  }
  const moves = new Map(cells.map((cell) => [cell.id, new Moves(cell, form, { tell, changed })]))
  const choose = chooser(floorPlan, moves, tell)

  for (const [id, own] of moves) {
    const move = own.add.bind(own)
    watchPointer(own.cell, move)
    // What is taken off the floor plan goes on in the list.
    watchKeys(own.cell, move, () => own.cell.isBelow || entryOf(waiting, id)?.focus())
    own.cell.element.addEventListener('click', (event) => {
      event.stopPropagation()
      choose(id)
    })
  }
  waiting.addEventListener('click', (event) => {
    const entry = event.target instanceof Element ? event.target.closest('[data-waiting]') : null
    const own = moves.get(entry?.getAttribute('data-waiting') ?? '')
    if (!own) return
    event.preventDefault()
    if (event.detail > 0) return choose(own.cell.id)
    // By the keyboard it goes to the middle, and on from there.
    own.add(floorPlan.inside(MIDDLE))
    own.cell.element.focus()
  })
  // Shown from the start, so that the floor plan does not move under the finger with the first sentence.
  notice.hidden = false
  for (const help of page.querySelectorAll('[data-with-script]')) help.removeAttribute('hidden')
  changed()
}

/**
 * What was touched goes where the floor plan is touched next.
 * @param {FloorPlan} floorPlan
 * @param {Map<string, Moves>} moves
 * @param {(sentence: string) => void} tell
 */
function chooser(floorPlan, moves, tell) {
  /** @type {Moves | undefined} */
  let chosen
  const choose = (/** @type {string | undefined} */ id) => {
    chosen?.cell.element.classList.remove('chosen')
    chosen = chosen?.cell.id === id || id === undefined ? undefined : moves.get(id)
    chosen?.cell.element.classList.add('chosen')
    floorPlan.element.classList.toggle('choosing', chosen !== undefined)
    if (chosen) tell(`${chosen.cell.name}: now tap its position on the floor plan.`)
  }
  floorPlan.element.addEventListener('click', (event) => {
    const own = chosen
    choose(undefined)
    own?.add(floorPlan.shareAt(floorPlan.pointOf(event)))
  })
  return choose
}

/**
 * @param {Cell[]} cells
 * @param {HTMLElement} waiting
 * @param {HTMLElement} count
 */
function listWaiting(cells, waiting, count) {
  const away = cells.filter(({ shown }) => !shown)
  count.textContent =
    away.length === 0 ? 'Everything is on the floor plan.' : `${away.length} of ${cells.length} bookables:`
  const entries = away.map((cell) => entryOf(waiting, cell.id)?.parentElement ?? newEntry(cell))
  const isSame = entries.length === waiting.children.length && entries.every((each) => each.parentElement)
  // The one that has the focus keeps it.
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
