// Areas and walls on a floor plan that is being arranged. The user selects, moves, stretches, names and deletes them
// with the mouse, a finger or keys. Each change is saved at once, and can be undone like the moves of cells. The editor
// loads this script for floor plans with shapes, and when somebody draws the first one.
import '../every-script.ts'
import {
  ARROW_DIRECTIONS,
  closestElement,
  createSvg,
  debounce,
  hasShortcutModifier,
  sendForm,
} from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { t } from '../shared/translate.ts'
import {
  createHandles,
  drawShape,
  formatShapes,
  moveShape,
  parseShape,
  type Shape,
  type ShapeEnd,
  stretchShape,
  watchDrawing,
} from './draw-shape.ts'
import type { FloorPlan } from './floor-plan.ts'
import type { MoveSteps } from './move-save.ts'
import type { Selection } from './select-cells.ts'

type ShapeCallbacks = { selection: Selection; steps: MoveSteps; say(sentence: string, tone?: string): void }
type ShapeFields = { panel: HTMLElement; name: HTMLInputElement; tone: HTMLSelectElement }

const STEP_SHARE = 0.01
const FINE_STEP_SHARE = 0.002
const KEYS_DEBOUNCE_MS = 500
const NO_GRID = { snap: (share: number) => share }

/** Shows the shapes, and returns a function that draws them again. */
export function watchShapes(page: Element, floorPlan: FloorPlan, callbacks: ShapeCallbacks): () => void {
  const form = page.querySelector<HTMLFormElement>('[data-shapes] form')
  const panel = page.querySelector<HTMLElement>('[data-area]')
  const name = panel?.querySelector<HTMLInputElement>('[data-area-name]')
  const tone = panel?.querySelector<HTMLSelectElement>('[data-area-tone]')
  if (!form || !panel || !name || !tone) return () => {}
  // Removes the shapes that the server drew, because this script draws them instead.
  page.querySelector('.map-floor-plan .plan-shapes')?.remove()
  const shapes = new Shapes(floorPlan, form, { panel, name, tone }, callbacks)
  watchLayer(shapes, callbacks.selection)
  watchDrawing(page, floorPlan, (shape) => shapes.add(shape))
  return () => shapes.render()
}

class Shapes {
  readonly floorPlan: FloorPlan
  readonly layer = createSvg('g')
  readonly settleLater: () => void
  readonly #form: HTMLFormElement
  readonly #fields: ShapeFields
  readonly #callbacks: ShapeCallbacks
  #shapes: Shape[]
  #saved: string[]
  /** The shapes after the last step, saved or not. */
  #settled: string[]
  #chosen: number | undefined
  #sending = Promise.resolve()

  constructor(floorPlan: FloorPlan, form: HTMLFormElement, fields: ShapeFields, callbacks: ShapeCallbacks) {
    this.floorPlan = floorPlan
    this.#form = form
    this.#fields = fields
    this.#callbacks = callbacks
    this.#shapes = [...form.querySelectorAll<HTMLInputElement>('[data-shape]')].map(({ value }) =>
      parseShape(value),
    )
    this.#saved = formatShapes(this.#shapes)
    this.#settled = this.#saved
    const settle = () => this.settle()
    this.settleLater = debounce(KEYS_DEBOUNCE_MS, settle).later
    callbacks.steps.settleWith(settle)
    addEventListener('pagehide', settle)
    fields.name.addEventListener('input', () => {
      this.change({ name: fields.name.value.trimStart() })
      this.settleLater()
    })
    fields.tone.addEventListener('change', () => {
      this.change({ tone: fields.tone.value })
      settle()
    })
    floorPlan.element.prepend(this.layer)
    this.render()
  }

  get chosen(): Shape | undefined {
    return this.#chosen === undefined ? undefined : this.#shapes[this.#chosen]
  }

  isChosen(index: number | undefined) {
    return index !== undefined && index === this.#chosen
  }

  render() {
    const focused =
      this.layer.contains(document.activeElement) && (document.activeElement as SVGElement).dataset.key
    const { panel, name, tone } = this.#fields
    const { chosen } = this
    const drawn = this.#shapes.map((shape, index) =>
      drawShape(this.floorPlan, tone, shape, { index, isChosen: index === this.#chosen }),
    )
    this.layer.replaceChildren(...drawn, ...(chosen ? createHandles(this.floorPlan, chosen) : []))
    if (focused) this.layer.querySelector<SVGElement>(`[data-key="${focused}"]`)?.focus()
    panel.hidden = chosen?.kind !== 'area'
    if (!chosen) return
    if (document.activeElement !== name) name.value = chosen.name
    tone.value = chosen.tone
  }

  choose(index: number | undefined) {
    if (index === this.#chosen) return
    this.settle()
    this.#chosen = index
    this.render()
  }

  /** Changes the selected shape. `settle` then records the changes as one step. */
  change(changes: Partial<Shape>) {
    this.#shapes = this.#shapes.map((shape, index) =>
      index === this.#chosen ? { ...shape, ...changes } : shape,
    )
    this.render()
  }

  add(shape: Shape) {
    this.#shapes = [...this.#shapes, shape]
    this.#chosen = this.#shapes.length - 1
    this.settle()
    this.render()
    if (shape.kind === 'area') this.#fields.name.focus()
    else this.layer.querySelector<SVGElement>('.shape.chosen')?.focus({ preventScroll: true })
  }

  remove() {
    this.#shapes = this.#shapes.filter((_shape, index) => index !== this.#chosen)
    this.#chosen = undefined
    this.render()
    this.settle()
  }

  settle() {
    const [from, to] = [this.#settled, formatShapes(this.#shapes)]
    if (from.join() === to.join()) return
    this.#send(to)
    this.#callbacks.steps.add({ undo: () => this.#show(from), redo: () => this.#show(to) })
  }

  #show(lines: string[]) {
    this.#shapes = lines.map(parseShape)
    this.#chosen = undefined
    this.render()
    this.#send(lines)
  }

  /** Sends steps one after the other, so that the last step is stored last. */
  #send(lines: string[]) {
    this.#settled = lines
    this.#sending = this.#sending.then(async () => {
      const problem = await sendForm(this.#form, (body) => {
        for (const line of this.#saved) body.append('before', line)
        for (const line of lines) body.append('shapes', line)
      })
      if (problem === undefined) this.#saved = lines
      else {
        this.#settled = this.#saved
        this.#shapes = this.#saved.map(parseShape)
        this.render()
      }
      this.#callbacks.say(problem ?? t`Drawing saved.`, problem === undefined ? 'good' : 'bad')
    })
  }
}

const findShapeEnd = (event: Event) =>
  closestElement<SVGElement>(event, '.shape-handle')?.dataset.end as ShapeEnd | undefined

function findShapeIndex(event: Event): number | undefined {
  const index = closestElement<SVGElement>(event, '.shape')?.dataset.index
  return index === undefined ? undefined : Number(index)
}

function watchLayer(shapes: Shapes, selection: Selection) {
  const { layer, floorPlan } = shapes
  layer.addEventListener('click', (event) => {
    // If cells are selected, the click places the cells instead.
    if (selection.all().length > 0) return
    event.stopPropagation()
    const index = findShapeIndex(event)
    if (index !== undefined) shapes.choose(index)
  })
  // Clears the selected shape. Runs before a cell handles the click.
  const letGo = (event: Event) => closestElement(event, '.shape, .shape-handle') || shapes.choose(undefined)
  floorPlan.element.addEventListener('click', letGo, { capture: true })
  layer.addEventListener('focusin', (event) => {
    // A press of the mouse does not select a shape, only a complete click does, so that a selection rectangle
    // can begin on an area.
    if (!findShapeEnd(event) && closestElement(event, ':focus-visible')) shapes.choose(findShapeIndex(event))
  })
  watchDrags(layer, (start) => {
    const end = findShapeEnd(start)
    const { chosen: shape } = shapes
    if (!shape || !(end || shapes.isChosen(findShapeIndex(start)))) return undefined
    start.preventDefault()
    start.stopPropagation()
    const from = floorPlan.pointOf(start)
    return {
      move(event) {
        const to = floorPlan.pointOf(event)
        const by = { x: (to.x - from.x) / floorPlan.width, y: (to.y - from.y) / floorPlan.height }
        shapes.change(end ? stretchShape(floorPlan, shape, end, by) : moveShape(floorPlan, shape, by))
      },
      end: () => shapes.settle(),
    }
  })
  layer.addEventListener('keydown', (event) => {
    const { chosen: shape } = shapes
    if (!shape || hasShortcutModifier(event)) return
    const { key, shiftKey } = event
    const direction = ARROW_DIRECTIONS[key]
    const deletes = key === 'Delete' || key === 'Backspace'
    if (!deletes && !direction) return
    event.preventDefault()
    if (deletes) return shapes.remove()
    const step = shiftKey ? FINE_STEP_SHARE : STEP_SHARE
    const by = { x: (direction?.[0] ?? 0) * step, y: (direction?.[1] ?? 0) * step }
    const end = findShapeEnd(event)
    shapes.change(end ? stretchShape(NO_GRID, shape, end, by) : moveShape(NO_GRID, shape, by))
    shapes.settleLater()
  })
}
