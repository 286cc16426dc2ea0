// The form that places many cells in rows. It previews their positions, and places them in one step that can be undone.
// The server calculates the same positions (map/place-in-rows.ts), and reports what is wrong with an invalid form. The
// editor loads this script when the form opens.
import '../every-script.ts'
import { createSvg, type Point, setAttributes } from '../shared/dom.ts'
import { plural, t } from '../shared/translate.ts'
import type { Cell, CellMove, FloorPlan } from './floor-plan.ts'

const PERCENT_PATTERN = /^\d{1,3}([.,]\d{1,9})?$/
const CELLS_PER_ROW_MAX = 100
// The share of a cell's space that the cell's outline fills.
const OUTLINE_SHARE = 0.9

/** Returns a function that updates the preview. */
export function watchRows(
  card: HTMLDetailsElement,
  floorPlan: FloorPlan,
  cells: Cell[],
  place: (moves: CellMove[]) => void,
) {
  const form = card.querySelector('form') as HTMLFormElement
  const preview = createSvg('g')
  preview.classList.add('preview')
  preview.setAttribute('aria-hidden', 'true')
  floorPlan.element.append(preview)
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  form.querySelector('.buttons')?.before(status)

  const refresh = () => {
    const { moves, sentence } = card.open
      ? planRows(new FormData(form), floorPlan, cells)
      : { moves: [], sentence: '' }
    preview.replaceChildren(...moves.map(({ to }) => createOutline(floorPlan, to)))
    if (status.textContent !== sentence) status.textContent = sentence
  }
  form.addEventListener('input', refresh)
  card.addEventListener('toggle', refresh)
  form.addEventListener('submit', (event) => {
    const { moves } = planRows(new FormData(form), floorPlan, cells)
    if (moves.length === 0) return
    event.preventDefault()
    // Without this, the page's other scripts would treat the form as being sent.
    event.stopImmediatePropagation()
    place(moves)
  })
  refresh()
  return refresh
}

/** Returns the moves of the chosen cells. Returns none if a field is invalid, nothing is chosen, or the last
 * cell would be off the floor plan. */
function planRows(form: FormData, floorPlan: FloorPlan, cells: Cell[]) {
  const chosen = new Set(form.getAll('ids'))
  const isWaiting = form.get('which') === 'waiting'
  const found = cells.filter((cell) => (isWaiting ? !cell.shown : chosen.has(cell.id)))
  const perRow = Number(form.get('per_row') || Number.NaN)
  const percent = (name: string) => readPercent(String(form.get(name) ?? '').trim())
  const [left, top] = [percent('first_left'), percent('first_top')]
  const [across, down] = [percent('across'), percent('down')]
  const rows = Math.ceil(found.length / perRow)
  const fits = left + (Math.min(perRow, found.length) - 1) * across <= 100 && top + (rows - 1) * down <= 100
  const isValid = Number.isInteger(perRow) && perRow >= 1 && perRow <= CELLS_PER_ROW_MAX && fits
  if (!isValid || found.length === 0) return { moves: [], sentence: t`Nothing to place yet.` }
  const moves = found.map((cell, index) => ({
    cell,
    to: floorPlan.inside({
      x: percentToShare(left + (index % perRow) * across),
      y: percentToShare(top + Math.floor(index / perRow) * down),
    }),
  }))
  const things = plural(found.length, '# desk or room', '# desks and rooms')
  return { moves, sentence: plural(rows, 'Preview: {0} in # row.', 'Preview: {0} in # rows.', things) }
}

function readPercent(text: string): number {
  const value = PERCENT_PATTERN.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return value <= 100 ? value : Number.NaN
}

const percentToShare = (percent: number) => Math.round(percent * 1_000) / 100_000

function createOutline(floorPlan: FloorPlan, at: Point): SVGRectElement {
  const { x, y } = floorPlan.pointAt(at)
  const margin = floorPlan.marginOf()
  const size = floorPlan.pointAt({ x: margin.x * 2 * OUTLINE_SHARE, y: margin.y * 2 * OUTLINE_SHARE })
  const drawn = createSvg('rect')
  setAttributes(drawn, { x: x - size.x / 2, y: y - size.y / 2, width: size.x, height: size.y })
  return drawn
}
