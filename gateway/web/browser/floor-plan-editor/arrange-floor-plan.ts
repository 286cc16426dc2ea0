// Arranges one or more cells on a floor plan: by dragging, by selecting a cell and then its position, with
// the keyboard, or in rows. Each step is saved at once and can be undone.

import '../every-script.ts'
import { announceToScreenReaders, closestElement, sendForm } from '../shared/dom.ts'
import { t } from '../shared/translate.ts'
import { makeZoomable } from '../shared/zoom.ts'
import { Cell, type CellMove, FLOOR_PLAN_MIDDLE, FloorPlan } from './floor-plan.ts'
import { loadToolsOnUse, type ToolRefreshers } from './load-tools.ts'
import { watchKeys, watchPointer } from './move-input.ts'
import { createMoveSteps, type MoveSteps, moveCells } from './move-save.ts'
import { createSelection, type Selection, watchSelectionFrame } from './select-cells.ts'

type EditorParts = {
  page: Element
  waiting: HTMLElement
  floorPlan: FloorPlan
  steps: MoveSteps
  selection: Selection
}

const QUARTER_TURN_DEGREES = 90
const FINE_TURN_DEGREES = 15
const FULL_TURN_DEGREES = 360

const page = document.querySelector('[data-arrange]')
const drawing = page?.querySelector<SVGSVGElement>('svg.map-cells')
const form = page?.querySelector<HTMLFormElement>('[data-moves] form')
if (page && drawing && form) startEditor(page, new FloorPlan(drawing), form)
if (page) scrollToOpenedForms(page)

/** Scrolls to a form of the panel when it opens, because the form may be below the edge of the panel or the window. */
function scrollToOpenedForms(page: Element) {
  const scroll = ({ target }: Event) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return
    const room = Math.min(innerHeight, target.closest('.map-list')?.clientHeight ?? innerHeight)
    target.scrollIntoView({ block: target.offsetHeight > room ? 'start' : 'nearest' })
  }
  // This event does not bubble.
  page.addEventListener('toggle', scroll, { capture: true })
}

function startEditor(page: Element, floorPlan: FloorPlan, form: HTMLFormElement) {
  const notice = page.querySelector('[data-saved]') as HTMLElement
  const waiting = page.querySelector('.waiting') as HTMLElement
  const rows = page.querySelector('[data-rows]') as HTMLDetailsElement
  const elements = [...floorPlan.element.querySelectorAll<SVGGElement>('.cell')]
  const boxes = [...rows.querySelectorAll<HTMLInputElement>('input[name="ids"]')]
  const cells = elements.map((element) => new Cell(element, floorPlan))
  const tools: ToolRefreshers = {}
  const say = (sentence: string, tone?: string) => announceToScreenReaders(notice, sentence, tone)
  const showSteps = () => {
    listWaitingCells(page, cells, waiting)
    tools.rows?.()
    tools.rectangles?.()
    tools.handles?.()
    // Sets only aria-disabled, because a disabled button would lose the focus.
    page.querySelector('[data-undo]')?.setAttribute('aria-disabled', String(!steps.canUndo()))
    page.querySelector('[data-redo]')?.setAttribute('aria-disabled', String(!steps.canRedo()))
  }
  const steps = createMoveSteps(cells, form, { announce: say, onChange: showSteps })
  const selection = createSelection(cells, boxes, {
    announce: say,
    onChange(number) {
      floorPlan.element.classList.toggle('choosing', number === 1)
      page.querySelector('[data-rotate]')?.setAttribute('aria-disabled', String(number === 0))
      tools.rows?.()
      tools.handles?.()
    },
  })
  watchSelectionFrame(floorPlan, selection)
  const parts = { page, waiting, floorPlan, steps, selection }
  watchCells(parts)
  watchWaitingList(parts)
  watchTools(parts)
  watchSizeSlider(page, floorPlan, cells, { say, onChange: showSteps })
  loadToolsOnUse({ ...parts, rows, say }, tools)
  // The notice is shown from the start, so that the first message does not move the floor plan under the user's finger.
  notice.hidden = false
  for (const help of page.querySelectorAll('[data-with-script]')) help.removeAttribute('hidden')
  showSteps()
  const view = makeZoomable(page, { byWheel: true })
  view?.zoom('whole')
  const canvas = page.querySelector('.map-canvas')
  if (canvas)
    new ResizeObserver(() => {
      tools.handles?.()
      tools.shapes?.()
    }).observe(canvas)
}

/** Watches the cells. If a single cell is selected, it moves to the point of the floor plan that is clicked next. */
function watchCells({ floorPlan, waiting, steps, selection }: EditorParts) {
  const mover = { cells: selection.cells, steps, together: selection.together }
  for (const cell of selection.cells) {
    watchPointer(cell, mover)
    cell.element.addEventListener('keydown', (event) => {
      if (event.key !== ' ' || !cell.shown) return
      event.preventDefault()
      selection.toggle(cell)
    })
    // If a cell is removed from the floor plan, the focus moves to the cell's entry in the list.
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
      moveCells([{ cell, to: floorPlan.snappedAt(floorPlan.pointOf(event), cell.rotation) }], steps)
  })
}

function watchWaitingList({ floorPlan, waiting, steps, selection }: EditorParts) {
  waiting.addEventListener('click', (event) => {
    const id = closestElement(event, '[data-waiting]')?.dataset.waiting
    const cell = selection.cells.find((each) => each.id === id)
    if (!cell) return
    event.preventDefault()
    if (event.detail > 0) return event.shiftKey ? selection.toggle(cell) : selection.only(cell)
    // Enter places the cell in the middle of the plan. From there, the arrow keys move it.
    moveCells([{ cell, to: floorPlan.inside(FLOOR_PLAN_MIDDLE) }], steps)
    cell.element.focus()
  })
}

function watchTools({ page, floorPlan, steps, selection }: EditorParts) {
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
    moveCells(
      turning.map((cell) => turnCell(floorPlan, cell, by)),
      steps,
    )
  }
  page.querySelector('[data-rotate]')?.addEventListener('click', () => rotate(QUARTER_TURN_DEGREES))
  document.addEventListener('keydown', (event) => {
    // Ignores keys in a text field, which has its own undo.
    if (closestElement(event, 'input:is([type="text"], [type="number"])') || event.altKey) return
    if (
      event.key.toLowerCase() === 'r' &&
      !event.ctrlKey &&
      !event.metaKey &&
      !closestElement(event, 'select')
    )
      return rotate(event.shiftKey ? FINE_TURN_DEGREES : QUARTER_TURN_DEGREES)
    if (event.key === 'Escape' && selection.all().length > 0) return selection.set([])
    const letter = event.key.toLowerCase()
    if (!(event.ctrlKey || event.metaKey) || (letter !== 'z' && letter !== 'y')) return
    event.preventDefault()
    if (letter === 'y' || event.shiftKey) steps.redo()
    else steps.undo()
  })
}

function turnCell(floorPlan: FloorPlan, cell: Cell, by: number): CellMove {
  const rotation = (cell.rotation + by) % FULL_TURN_DEGREES
  return { cell, to: cell.shown && { ...floorPlan.inside({ ...cell.shown, rotation }), rotation } }
}

function listWaitingCells(page: Element, cells: Cell[], waiting: HTMLElement) {
  const away = cells.filter(({ shown }) => !shown)
  const count = page.querySelector('[data-count]') as HTMLElement
  count.textContent =
    away.length === 0
      ? t`Everything is on the floor plan.`
      : t`${away.length} of ${cells.length} desks and rooms:`
  const entries = away.map((cell) => findEntry(waiting, cell.id)?.parentElement ?? createEntry(cell))
  const isSame = entries.length === waiting.children.length && entries.every((each) => each.parentElement)
  // Replaces the entries only if the list has changed, so that a focused entry keeps the focus.
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

// The width of an unscaled cell, as in gateway/reads/map/map-layouts.ts.
const CELL_WIDTH = 132

/** Watches the slider for the size of all cells. The cells change their size at once, and the size is saved
 * when the slider is released. */
function watchSizeSlider(
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
