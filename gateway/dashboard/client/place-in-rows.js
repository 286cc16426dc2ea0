// @ts-check
// The form that places many cells in rows: previews their positions, and places them in one step that can be
// undone. The server calculates the same positions (map/place-in-rows.ts), and reports what is wrong with an
// invalid form.
import { plural, t } from './translate.js'

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').FloorPlan} FloorPlan */
/** @typedef {import('./move-input.js').Move} Move */

const SVG = 'http://www.w3.org/2000/svg'
const PERCENT = /^\d{1,3}([.,]\d{1,9})?$/
const PER_ROW_MAX = 100
// The share of its space that an outline fills.
const DRAWN_SHARE = 0.9

/**
 * Returns a function that updates the preview.
 * @param {Element} card
 * @param {FloorPlan} floorPlan
 * @param {Cell[]} cells
 * @param {(moves: Move[]) => void} add
 */
export function watchRows(card, floorPlan, cells, add) {
  const form = card.querySelector('form')
  if (!(card instanceof HTMLDetailsElement && form)) return () => {}
  const preview = document.createElementNS(SVG, 'g')
  preview.classList.add('preview')
  preview.setAttribute('aria-hidden', 'true')
  floorPlan.element.append(preview)
  const words = document.createElement('p')
  words.setAttribute('role', 'status')
  form.querySelector('.buttons')?.before(words)

  const refresh = () => {
    const planned = card.open ? plan(new FormData(form), floorPlan, cells) : { moves: [] }
    preview.replaceChildren(...planned.moves.flatMap(({ to }) => (to ? [outline(floorPlan, to)] : [])))
    const sentence = planned.moves.length > 0 ? planned.sentence : card.open ? t`Nothing to place yet.` : ''
    if (words.textContent !== sentence) words.textContent = sentence ?? ''
  }
  form.addEventListener('input', refresh)
  card.addEventListener('toggle', refresh)
  form.addEventListener('submit', (event) => {
    const { moves } = plan(new FormData(form), floorPlan, cells)
    if (moves.length === 0) return
    event.preventDefault()
    // Otherwise the page's other scripts treat the form as being sent.
    event.stopImmediatePropagation()
    add(moves)
  })
  refresh()
  return refresh
}

/**
 * No moves if a field is invalid, nothing is chosen, or the last cell would be off the floor plan.
 * @param {FormData} form
 * @param {FloorPlan} floorPlan
 * @param {Cell[]} cells
 * @returns {{ moves: Move[], sentence?: string }}
 */
function plan(form, floorPlan, cells) {
  const chosen = new Set(form.getAll('ids'))
  const isWaiting = form.get('which') === 'waiting'
  const found = cells.filter((cell) => (isWaiting ? !cell.shown : chosen.has(cell.id)))
  const perRow = Number(form.get('per_row') || Number.NaN)
  const [left = Number.NaN, top = Number.NaN, across = Number.NaN, down = Number.NaN] = [
    'first_left',
    'first_top',
    'across',
    'down',
  ].map((name) => percentIn(form, name))
  if (!Number.isInteger(perRow) || perRow < 1 || perRow > PER_ROW_MAX) return { moves: [] }
  const rows = Math.ceil(found.length / perRow)
  const fits = left + (Math.min(perRow, found.length) - 1) * across <= 100 && top + (rows - 1) * down <= 100
  if (!fits) return { moves: [] }
  const moves = found.map((cell, index) => ({
    cell,
    to: floorPlan.inside({
      x: share(left + (index % perRow) * across),
      y: share(top + Math.floor(index / perRow) * down),
    }),
  }))
  const things = plural(found.length, '# desk or room', '# desks and rooms')
  return { moves, sentence: plural(rows, 'Preview: {0} in # row.', 'Preview: {0} in # rows.', things) }
}

/**
 * @param {FormData} form
 * @param {string} name
 */
function percentIn(form, name) {
  const text = String(form.get(name) ?? '').trim()
  const value = PERCENT.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return value <= 100 ? value : Number.NaN
}

/** @param {number} percent */
function share(percent) {
  return Math.round(percent * 1_000) / 100_000
}

/**
 * @param {FloorPlan} floorPlan
 * @param {import('./floor-plan.js').Point} at
 */
function outline(floorPlan, at) {
  const { x, y } = floorPlan.pointAt(at)
  const size = floorPlan.pointAt({
    x: floorPlan.margin.x * 2 * DRAWN_SHARE,
    y: floorPlan.margin.y * 2 * DRAWN_SHARE,
  })
  const box = { x: x - size.x / 2, y: y - size.y / 2, width: size.x, height: size.y }
  const drawn = document.createElementNS(SVG, 'rect')
  for (const [name, value] of Object.entries(box)) drawn.setAttribute(name, String(value))
  return drawn
}
