// The selection of cells on a floor plan: by click, several with Shift, with a frame drawn by mouse, with
// Space, and with the boxes of the list.
import { closest, createSvg, type Point, setAttributes } from './dom.ts'
import { watchDrags } from './drags.ts'
import type { Cell, FloorPlan } from './floor-plan.ts'
import { formatNames } from './move-save.ts'
import { t } from './translate.ts'

type Callbacks = { announce(sentence: string): void; onChange(number: number): void }

export class Selection {
  readonly cells: Cell[]
  readonly #boxes: Map<string, HTMLInputElement>
  readonly #callbacks: Callbacks
  #chosen = new Set<Cell>()

  constructor(cells: Cell[], boxes: HTMLInputElement[], callbacks: Callbacks) {
    this.cells = cells
    this.#boxes = new Map(boxes.map((box) => [box.value, box]))
    this.#callbacks = callbacks
    for (const box of boxes) box.addEventListener('change', () => this.#readBoxes())
    // The browser restores the boxes of a page from its back/forward cache.
    this.#readBoxes()
  }

  /** In the order of the list. */
  get all(): Cell[] {
    return this.cells.filter((cell) => this.#chosen.has(cell))
  }

  /** The cells that move together with this one. */
  with(cell: Cell): Cell[] {
    return this.#chosen.has(cell) ? this.all : [cell]
  }

  set(cells: Iterable<Cell>) {
    const { size } = this.#chosen
    this.#chosen = new Set(cells)
    for (const cell of this.cells) {
      const isChosen = this.#chosen.has(cell)
      cell.element.classList.toggle('chosen', isChosen)
      cell.element.setAttribute('aria-pressed', String(isChosen))
      const box = this.#boxes.get(cell.id)
      if (box) box.checked = isChosen
    }
    const sentence = this.#describe()
    if (sentence) this.#callbacks.announce(sentence)
    else if (size > 0) this.#callbacks.announce(t`Nothing is selected.`)
    this.#callbacks.onChange(this.#chosen.size)
  }

  add(cells: Cell[]) {
    this.set([...this.#chosen, ...cells])
  }

  toggle(cell: Cell) {
    if (this.#chosen.has(cell)) this.set(this.all.filter((each) => each !== cell))
    else this.add([cell])
  }

  only(cell: Cell) {
    this.set(this.#chosen.size === 1 && this.#chosen.has(cell) ? [] : [cell])
  }

  #describe(): string | undefined {
    const { all } = this
    const names = formatNames(all)
    if (all.length > 1) return t`${all.length} selected: ${names}. Drag one of them, or use the arrow keys.`
    return all.length === 1 ? t`${names}: now tap its position on the floor plan.` : undefined
  }

  #readBoxes() {
    this.set(this.cells.filter(({ id }) => this.#boxes.get(id)?.checked))
  }
}

/** The mouse draws a frame that starts on an empty point. A finger scrolls. */
export function watchFrame(floorPlan: FloorPlan, selection: Selection) {
  const { element } = floorPlan
  const frame = createSvg('rect')
  frame.classList.add('frame')
  watchDrags(element, (start) => {
    if (closest(start, '.cell') || start.pointerType !== 'mouse') return undefined
    // Otherwise the drag selects text.
    start.preventDefault()
    const from = floorPlan.pointOf(start)
    return {
      move(event) {
        element.append(frame)
        setAttributes(frame, boxOf(from, floorPlan.pointOf(event)))
      },
      drop(event) {
        const box = boxOf(from, floorPlan.pointOf(event))
        const inside = selection.cells.filter(
          (cell) => !cell.element.hasAttribute('hidden') && isIn(cell.point, box),
        )
        if (event.shiftKey) selection.add(inside)
        else selection.set(inside)
      },
      end: () => frame.remove(),
    }
  })
}

function boxOf(one: Point, other: Point) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) }
}

function isIn(point: Point, { x, y, width, height }: ReturnType<typeof boxOf>): boolean {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
}
