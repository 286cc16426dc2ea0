// Selects cells on a floor plan: by click, several with Shift, with a rectangle drawn by mouse, with Space,
// and with the checkboxes of the list.
import { closestElement, createSvg, type Point, setAttributes } from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { t } from '../shared/translate.ts'
import type { Cell, FloorPlan } from './floor-plan.ts'
import { formatNames } from './move-save.ts'

type SelectionCallbacks = { announce(sentence: string): void; onChange(number: number): void }

export type Selection = ReturnType<typeof createSelection>

export function createSelection(
  cells: Cell[],
  boxes: HTMLInputElement[],
  { announce, onChange }: SelectionCallbacks,
) {
  const boxesById = new Map(boxes.map((box) => [box.value, box]))
  let chosen = new Set<Cell>()
  /** Returns the selected cells, in the order of the list. */
  const all = () => cells.filter((cell) => chosen.has(cell))
  /** Returns the cells that move together with this cell. */
  const together = (cell: Cell) => (chosen.has(cell) ? all() : [cell])
  const add = (more: Cell[]) => set([...chosen, ...more])

  function set(wanted: Iterable<Cell>) {
    const { size } = chosen
    chosen = new Set(wanted)
    for (const cell of cells) {
      const isChosen = chosen.has(cell)
      cell.element.classList.toggle('chosen', isChosen)
      cell.element.setAttribute('aria-pressed', String(isChosen))
      const box = boxesById.get(cell.id)
      if (box) box.checked = isChosen
    }
    if (chosen.size > 0 || size > 0) announce(describeSelection(all()))
    onChange(chosen.size)
  }

  function toggle(cell: Cell) {
    if (chosen.has(cell)) set(all().filter((each) => each !== cell))
    else add([cell])
  }

  function only(cell: Cell) {
    set(chosen.size === 1 && chosen.has(cell) ? [] : [cell])
  }

  function readBoxes() {
    set(cells.filter(({ id }) => boxesById.get(id)?.checked))
  }

  for (const box of boxes) box.addEventListener('change', readBoxes)
  // Reads the checkboxes, which the browser restores on a page from its back/forward cache.
  readBoxes()
  return { cells, all, together, set, add, toggle, only }
}

function describeSelection(cells: Cell[]): string {
  const names = formatNames(cells)
  if (cells.length === 0) return t`Nothing is selected.`
  if (cells.length === 1) return t`${names}: now tap its position on the floor plan.`
  return t`${cells.length} selected: ${names}. Drag one of them, or use the arrow keys.`
}

/** Lets the mouse draw a selection rectangle that starts on an empty point. With a finger, the page scrolls instead. */
export function watchSelectionFrame(floorPlan: FloorPlan, selection: Selection) {
  const { element } = floorPlan
  const frame = createSvg('rect')
  frame.classList.add('frame')
  watchDrags(element, (start) => {
    const isBusy =
      element.dataset.drawing !== undefined || closestElement(start, '.cell, .shape.chosen, .shape-handle')
    if (isBusy || start.pointerType !== 'mouse') return undefined
    // Without this, the drag would select text.
    start.preventDefault()
    const from = floorPlan.pointOf(start)
    return {
      move(event) {
        element.append(frame)
        setAttributes(frame, computeBox(from, floorPlan.pointOf(event)))
      },
      drop(event) {
        const box = computeBox(from, floorPlan.pointOf(event))
        const inside = selection.cells.filter(
          (cell) => !cell.element.hasAttribute('hidden') && isInBox(cell.point, box),
        )
        if (event.shiftKey) selection.add(inside)
        else selection.set(inside)
      },
      end: () => frame.remove(),
    }
  })
}

function computeBox(one: Point, other: Point) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) }
}

function isInBox(point: Point, { x, y, width, height }: ReturnType<typeof computeBox>): boolean {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
}
