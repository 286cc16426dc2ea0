// Arranges a floor plan: by dragging, by selecting a cell and then its position, with the keyboard, and in
// rows; one cell or several. Each step is saved at once and can be undone.

import { announce, closest, sendForm } from '../shared/dom.ts'
import { t } from '../shared/translate.ts'
import { makeZoomable } from '../shared/zoom.ts'
import { Cell, FloorPlan, MIDDLE, type Move } from './floor-plan.ts'
import { watchKeys, watchPointer } from './move-input.ts'
import { createSteps, move, type Steps } from './move-save.ts'
import { watchRows } from './place-in-rows.ts'
import { watchShapes } from './plan-shapes.ts'
import { createSelection, type Selection, watchFrame } from './select-cells.ts'
import { watchCellSize, watchRowOut } from './selection-handles.ts'

type Parts = { page: Element; waiting: HTMLElement; floorPlan: FloorPlan; steps: Steps; selection: Selection }

const QUARTER = 90
const FINE_TURN = 15
const FULL_TURN = 360

const page = document.querySelector('[data-arrange]')
const drawing = page?.querySelector<SVGSVGElement>('svg.map-cells')
const form = page?.querySelector<HTMLFormElement>('[data-moves] form')
if (page && drawing && form) arrange(page, new FloorPlan(drawing), form)

function arrange(page: Element, floorPlan: FloorPlan, form: HTMLFormElement) {
  const notice = page.querySelector('[data-saved]') as HTMLElement
  const waiting = page.querySelector('.waiting') as HTMLElement
  const rows = page.querySelector('[data-rows]') as HTMLDetailsElement
  const elements = [...floorPlan.element.querySelectorAll<SVGGElement>('.cell')]
  const boxes = [...rows.querySelectorAll<HTMLInputElement>('input[name="ids"]')]
  const cells = elements.map((element) => new Cell(element, floorPlan))
  let refreshRows = () => {}
  let refreshHandle = () => {}
  const say = (sentence: string, tone?: string) => announce(notice, sentence, tone)
  const showSteps = () => {
    listWaiting(page, cells, waiting)
    refreshRows()
    refreshHandle()
    // Uses aria-disabled only, so that a focused button keeps the focus.
    page.querySelector('[data-undo]')?.setAttribute('aria-disabled', String(!steps.canUndo()))
    page.querySelector('[data-redo]')?.setAttribute('aria-disabled', String(!steps.canRedo()))
  }
  const steps = createSteps(cells, form, { announce: say, onChange: showSteps })
  const selection = createSelection(cells, boxes, {
    announce: say,
    onChange(number) {
      floorPlan.element.classList.toggle('choosing', number === 1)
      page.querySelector('[data-rotate]')?.setAttribute('aria-disabled', String(number === 0))
      refreshRows()
      refreshHandle()
    },
  })
  refreshRows = watchRows(rows, floorPlan, cells, (moves) => move(moves, steps))
  watchFrame(floorPlan, selection)
  const parts = { page, waiting, floorPlan, steps, selection }
  watchCells(parts)
  watchWaiting(parts)
  watchTools(parts)
  const refreshShapes = watchShapes(page, floorPlan, { selection, steps, say })
  watchSize(page, floorPlan, cells, { say, onChange: showSteps })
  const gap = page.querySelector('[data-gap]') as HTMLInputElement
  const handles = { floorPlan, selection, steps, gap }
  const [refreshRowOut, refreshSize] = [watchRowOut(handles, say), watchCellSize(handles)]
  refreshHandle = () => {
    refreshRowOut()
    refreshSize()
  }
  // Shown from the start, so that the first message does not move the floor plan under the finger.
  notice.hidden = false
  for (const help of page.querySelectorAll('[data-with-script]')) help.removeAttribute('hidden')
  showSteps()
  const view = makeZoomable(page, { byWheel: true })
  view?.zoom('whole')
  const canvas = page.querySelector('.map-canvas')
  if (canvas)
    new ResizeObserver(() => {
      refreshHandle()
      refreshShapes()
    }).observe(canvas)
}

/** A single selected cell moves to the next point of the floor plan that is clicked. */
function watchCells({ floorPlan, waiting, steps, selection }: Parts) {
  const mover = { cells: selection.cells, steps, together: selection.together }
  for (const cell of selection.cells) {
    watchPointer(cell, mover)
    cell.element.addEventListener('keydown', (event) => {
      if (event.key !== ' ' || !cell.shown) return
      event.preventDefault()
      selection.toggle(cell)
    })
    // A cell that is removed from the floor plan passes the focus to its entry in the list.
    watchKeys(cell, mover, () => cell.isBelow || findEntry(waiting, cell.id)?.focus())
    cell.element.addEventListener('click', (event) => {
      event.stopPropagation()
      if (event.shiftKey || event.ctrlKey || event.metaKey) selection.toggle(cell)
      else selection.only(cell)
    })
  }
  floorPlan.element.addEventListener('click', (event) => {
    const [cell, ...others] = selection.all()
    if (!cell) return
    selection.set([])
    if (others.length === 0)
      move([{ cell, to: floorPlan.snappedAt(floorPlan.pointOf(event), cell.rotation) }], steps)
  })
}

function watchWaiting({ floorPlan, waiting, steps, selection }: Parts) {
  waiting.addEventListener('click', (event) => {
    const id = closest(event, '[data-waiting]')?.dataset.waiting
    const cell = selection.cells.find((each) => each.id === id)
    if (!cell) return
    event.preventDefault()
    if (event.detail > 0) return event.shiftKey ? selection.toggle(cell) : selection.only(cell)
    // Enter puts the cell in the middle, from where the arrow keys move it.
    move([{ cell, to: floorPlan.inside(MIDDLE) }], steps)
    cell.element.focus()
  })
}

function watchTools({ page, floorPlan, steps, selection }: Parts) {
  page.querySelector('[data-undo]')?.addEventListener('click', steps.undo)
  page.querySelector('[data-redo]')?.addEventListener('click', steps.redo)
  const snap = page.querySelector('[data-snap]') as HTMLInputElement
  const readSnap = () => {
    floorPlan.snaps = snap.checked
  }
  snap.addEventListener('change', readSnap)
  readSnap()
  const rotate = (by: number) => {
    const chosen = selection.all().filter(({ shown }) => shown)
    const focused = selection.cells.filter(
      ({ element, shown }) => shown && element === document.activeElement,
    )
    const turning = chosen.length > 0 ? chosen : focused
    move(
      turning.map((cell) => turn(floorPlan, cell, by)),
      steps,
    )
  }
  page.querySelector('[data-rotate]')?.addEventListener('click', () => rotate(QUARTER))
  document.addEventListener('keydown', (event) => {
    // A text field has its own undo.
    if (closest(event, 'input:is([type="text"], [type="number"])') || event.altKey) return
    if (event.key.toLowerCase() === 'r' && !event.ctrlKey && !event.metaKey && !closest(event, 'select'))
      return rotate(event.shiftKey ? FINE_TURN : QUARTER)
    if (event.key === 'Escape' && selection.all().length > 0) return selection.set([])
    const letter = event.key.toLowerCase()
    if (!(event.ctrlKey || event.metaKey) || (letter !== 'z' && letter !== 'y')) return
    event.preventDefault()
    if (letter === 'y' || event.shiftKey) steps.redo()
    else steps.undo()
  })
}

function turn(floorPlan: FloorPlan, cell: Cell, by: number): Move {
  const rotation = (cell.rotation + by) % FULL_TURN
  return { cell, to: cell.shown && { ...floorPlan.inside({ ...cell.shown, rotation }), rotation } }
}

function listWaiting(page: Element, cells: Cell[], waiting: HTMLElement) {
  const away = cells.filter(({ shown }) => !shown)
  const count = page.querySelector('[data-count]') as HTMLElement
  count.textContent =
    away.length === 0
      ? t`Everything is on the floor plan.`
      : t`${away.length} of ${cells.length} desks and rooms:`
  const entries = away.map((cell) => findEntry(waiting, cell.id)?.parentElement ?? createEntry(cell))
  const isSame = entries.length === waiting.children.length && entries.every((each) => each.parentElement)
  // Replaced only if the list has changed, so that a focused entry keeps the focus.
  if (!isSame) waiting.replaceChildren(...entries)
}

function findEntry(waiting: HTMLElement, id: string): HTMLElement | null {
  return waiting.querySelector(`[data-waiting="${id}"] a`)
}

function createEntry({ id, name }: Cell): HTMLElement {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  entry.dataset.waiting = id
  link.href = '#waiting'
  link.textContent = name
  entry.append(link)
  return entry
}

// The width of an unscaled cell (gateway/reads/map/map-layouts.ts).
const CELL_WIDTH = 132

/** The slider for the size of all cells: they follow it at once, and their size is saved when it is let go. */
function watchSize(
  page: Element,
  floorPlan: FloorPlan,
  cells: Cell[],
  { say, onChange }: { say(sentence: string, tone?: string): void; onChange(): void },
) {
  const slider = page.querySelector<HTMLInputElement>('[data-size]')
  const form = page.querySelector<HTMLFormElement>('[data-cell-width] form')
  if (!slider || !form) return
  const field = form.elements.namedItem('cell_width') as HTMLInputElement
  slider.value = String((floorPlan.scale * CELL_WIDTH * 100) / floorPlan.width)
  slider.addEventListener('input', () => {
    floorPlan.scale = (Number(slider.value) * floorPlan.width) / 100 / CELL_WIDTH
    for (const cell of cells) if (cell.shown) cell.show(cell.shown)
    onChange()
  })
  slider.addEventListener('change', async () => {
    const problem = await sendForm(form, (body) => body.set('cell_width', slider.value))
    if (problem === undefined) field.value = slider.value
    say(problem ?? t`Size saved.`, problem === undefined ? 'good' : 'bad')
  })
}
