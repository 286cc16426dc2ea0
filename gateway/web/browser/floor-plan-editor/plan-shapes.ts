// Areas and walls on a floor plan that is being arranged: selected, moved, stretched, named and deleted with the mouse, a
// finger or keys. Each change is saved at once, and can be undone like the moves of cells.
import { ARROWS, closest, createSvg, debounce, isShortcut, sendForm } from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { t } from '../shared/translate.ts'
import {
  drawShape,
  handlesOf,
  linesOf,
  moved,
  parseLine,
  type Shape,
  type ShapeEnd,
  stretched,
  watchDrawing,
} from './draw-shape.ts'
import type { FloorPlan } from './floor-plan.ts'
import type { Steps } from './move-save.ts'
import type { Selection } from './select-cells.ts'

type Callbacks = { selection: Selection; steps: Steps; say(sentence: string, tone?: string): void }
type Fields = { panel: HTMLElement; name: HTMLInputElement; tone: HTMLSelectElement }

const STEP = 0.01
const FINE_STEP = 0.002
const KEYS_DEBOUNCE_MS = 500
const NO_GRID = { snap: (share: number) => share }

/** Returns a function that draws them again. */
export function watchShapes(page: Element, floorPlan: FloorPlan, callbacks: Callbacks): () => void {
  const form = page.querySelector<HTMLFormElement>('[data-shapes] form')
  const panel = page.querySelector<HTMLElement>('[data-area]')
  const name = panel?.querySelector<HTMLInputElement>('[data-area-name]')
  const tone = panel?.querySelector<HTMLSelectElement>('[data-area-tone]')
  if (!form || !panel || !name || !tone) return () => {}
  // This script draws the shapes instead.
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
  readonly #fields: Fields
  readonly #callbacks: Callbacks
  #shapes: Shape[]
  #saved: string[]
  /** The shapes after the last step, saved or not. */
  #settled: string[]
  #chosen: number | undefined
  #sending = Promise.resolve()

  constructor(floorPlan: FloorPlan, form: HTMLFormElement, fields: Fields, callbacks: Callbacks) {
    this.floorPlan = floorPlan
    this.#form = form
    this.#fields = fields
    this.#callbacks = callbacks
    this.#shapes = [...form.querySelectorAll<HTMLInputElement>('[data-shape]')].map(({ value }) =>
      parseLine(value),
    )
    this.#saved = linesOf(this.#shapes)
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
    this.layer.replaceChildren(...drawn, ...(chosen ? handlesOf(this.floorPlan, chosen) : []))
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

  /** Changes the selected shape; `settle` then makes a step of the changes. */
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
    const [from, to] = [this.#settled, linesOf(this.#shapes)]
    if (from.join() === to.join()) return
    this.#send(to)
    this.#callbacks.steps.add({ undo: () => this.#show(from), redo: () => this.#show(to) })
  }

  #show(lines: string[]) {
    this.#shapes = lines.map(parseLine)
    this.#chosen = undefined
    this.render()
    this.#send(lines)
  }

  /** Sent one after the other, so that the last step is stored last. */
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
        this.#shapes = this.#saved.map(parseLine)
        this.render()
      }
      this.#callbacks.say(problem ?? t`Drawing saved.`, problem === undefined ? 'good' : 'bad')
    })
  }
}

const endOf = (event: Event) =>
  closest<SVGElement>(event, '.shape-handle')?.dataset.end as ShapeEnd | undefined

function indexOf(event: Event): number | undefined {
  const index = closest<SVGElement>(event, '.shape')?.dataset.index
  return index === undefined ? undefined : Number(index)
}

function watchLayer(shapes: Shapes, selection: Selection) {
  const { layer, floorPlan } = shapes
  layer.addEventListener('click', (event) => {
    // A selected cell goes where the user clicks.
    if (selection.all().length > 0) return
    event.stopPropagation()
    const index = indexOf(event)
    if (index !== undefined) shapes.choose(index)
  })
  // Before a cell takes the click.
  const letGo = (event: Event) => closest(event, '.shape, .shape-handle') || shapes.choose(undefined)
  floorPlan.element.addEventListener('click', letGo, { capture: true })
  layer.addEventListener('focusin', (event) => {
    // The mouse selects by a click, so that a frame can begin on an area.
    if (!endOf(event) && closest(event, ':focus-visible')) shapes.choose(indexOf(event))
  })
  watchDrags(layer, (start) => {
    const end = endOf(start)
    const { chosen: shape } = shapes
    if (!shape || !(end || shapes.isChosen(indexOf(start)))) return undefined
    start.preventDefault()
    start.stopPropagation()
    const from = floorPlan.pointOf(start)
    return {
      move(event) {
        const to = floorPlan.pointOf(event)
        const by = { x: (to.x - from.x) / floorPlan.width, y: (to.y - from.y) / floorPlan.height }
        shapes.change(end ? stretched(floorPlan, shape, end, by) : moved(floorPlan, shape, by))
      },
      end: () => shapes.settle(),
    }
  })
  layer.addEventListener('keydown', (event) => {
    const { chosen: shape } = shapes
    if (!shape || isShortcut(event)) return
    const { key, shiftKey } = event
    const direction = ARROWS[key]
    const deletes = key === 'Delete' || key === 'Backspace'
    if (!deletes && !direction) return
    event.preventDefault()
    if (deletes) return shapes.remove()
    const step = shiftKey ? FINE_STEP : STEP
    const by = { x: (direction?.[0] ?? 0) * step, y: (direction?.[1] ?? 0) * step }
    const end = endOf(event)
    shapes.change(end ? stretched(NO_GRID, shape, end, by) : moved(NO_GRID, shape, by))
    shapes.settleLater()
  })
}
