// Saves moved cells with the form of the page, and undoes steps. A step contains what was moved together, and
// is saved completely or not at all. A refused step is reverted.
import { describeRefusal, type Point, sendForm } from './dom.ts'
import type { Cell, Move } from './floor-plan.ts'
import { plural, t } from './translate.ts'

type Step = Array<Move & { from: Point | undefined }>
type Callbacks = { announce(sentence: string, tone?: string): void; onChange(): void }

const NAMES_SHOWN_MAX = 3

export class Steps {
  readonly #cells: Cell[]
  readonly #form: HTMLFormElement
  readonly #announce: Callbacks['announce']
  readonly #onChange: Callbacks['onChange']
  #done: Step[] = []
  #undone: Step[] = []
  #number = 0
  #sending = Promise.resolve()

  constructor(cells: Cell[], form: HTMLFormElement, { announce, onChange }: Callbacks) {
    this.#cells = cells
    this.#form = form
    this.#announce = announce
    this.#onChange = onChange
  }

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  add(moves: Move[]) {
    for (const { cell, to } of moves) cell.show(to)
    this.settle()
  }

  /** All cells whose shown position differs from the settled one make a step. */
  settle() {
    const step = this.#cells
      .filter(({ shown, settled }) => positionText(shown) !== positionText(settled))
      .map((cell) => ({ cell, from: cell.settled, to: cell.shown }))
    if (step.length === 0) return
    this.#done.push(step)
    this.#undone = []
    this.#send(step, (names) => t`${names} saved.`)
  }

  undo() {
    this.settle()
    const step = this.#done.pop()
    if (!step) return this.#announce(t`Nothing to undo.`)
    this.#undone.push(step)
    this.#send(
      step.map(({ cell, from, to }) => ({ cell, from: to, to: from })),
      (names) => t`Undone: ${names} saved.`,
    )
  }

  redo() {
    this.settle()
    const step = this.#undone.pop()
    if (!step) return this.#announce(t`Nothing to redo.`)
    this.#done.push(step)
    this.#send(step, (names) => t`Redone: ${names} saved.`)
  }

  /** Sent one after the other, so that the last step is stored last. */
  #send(step: Step, describe: (names: string) => string) {
    const stepNumber = ++this.#number
    for (const { cell, to } of step) {
      cell.settled = to
      cell.step = stepNumber
      cell.show(to)
    }
    this.#onChange()
    this.#sending = this.#sending.then(() => this.#save(step, describe, stepNumber))
  }

  async #save(step: Step, describe: (names: string) => string, stepNumber: number) {
    const names = formatNames(step.map(({ cell }) => cell))
    this.#announce(t`Saving ${names}…`)
    const problem = await send(this.#form, step)
    if (problem === undefined) {
      for (const { cell, to } of step) cell.saved = to
      if (stepNumber === this.#number) this.#announce(describe(names), 'good')
      return
    }
    // A cell with a later step stays where that step puts it.
    for (const { cell } of step) {
      if (cell.step !== stepNumber) continue
      cell.settled = cell.saved
      cell.show(cell.saved)
    }
    // The earlier positions of these cells are no longer known.
    const isOther = (other: Step) => other.every(({ cell }) => step.every((each) => each.cell !== cell))
    this.#done = this.#done.filter(isOther)
    this.#undone = this.#undone.filter(isOther)
    this.#onChange()
    const sentence =
      step.length === 1 ? t`${names} was not moved. ${problem}` : t`${names} were not moved. ${problem}`
    this.#announce(sentence, 'bad')
  }
}

/** “Desk 1, Desk 2, Desk 3 and 5 more”. */
export function formatNames(cells: Cell[]): string {
  const names = cells.map(({ name }) => name)
  const more = names.length - NAMES_SHOWN_MAX
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ')
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', shown) : shown
}

/** Returns what prevents the step, if anything. */
function send(form: HTMLFormElement, step: Step): Promise<string | undefined> {
  const fill = (body: URLSearchParams) => {
    for (const { cell, to } of step)
      body.append('moves', `${cell.id}/${positionText(to)}/${positionText(cell.saved)}`)
  }
  const cells = step.map(({ cell }) => cell)
  return sendForm(form, fill, (page) => describeProblem(page, cells))
}

/** Records the new positions of cells that another user has moved. */
function describeProblem(page: Document, cells: Cell[]): string {
  const found = new Map(cells.map((cell) => [cell, findPosition(page, cell.id)]))
  const moved = cells.filter((cell) => {
    const present = found.get(cell)
    return present && positionText(present.share) !== positionText(cell.saved)
  })
  for (const cell of moved) cell.saved = found.get(cell)?.share
  if (moved.length > 0)
    return cells.length === 1
      ? t`Another user has moved it.`
      : t`Another user has moved ${formatNames(moved)}.`
  const gone = page.querySelector('svg.map-cells') ? cells.filter((cell) => !found.get(cell)) : []
  if (gone.length === 1) return t`${formatNames(gone)} is no longer here.`
  return gone.length > 1 ? t`${formatNames(gone)} are no longer here.` : describeRefusal(page)
}

/** The position that the server shows now. */
function findPosition(page: Document, id: string): { share: Point | undefined } | undefined {
  const cell = page.querySelector<SVGElement>(`svg.map-cells .cell[data-bookable="${id}"]`)
  if (!cell) return undefined
  const { x, y } = cell.dataset
  return { share: x === undefined || y === undefined ? undefined : { x: Number(x), y: Number(y) } }
}

/** The format of the server's versions (shared/schemas/versions.ts). */
function positionText(share: Point | undefined): string {
  return share ? `${Math.round(share.x * 100_000)} ${Math.round(share.y * 100_000)}` : 'none'
}
