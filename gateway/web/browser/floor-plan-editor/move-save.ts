// Saves moved cells with the form of the page, and undoes steps. A step contains what was moved together, and
// is saved completely or not at all. A refused step is reverted.
import { describeRefusal, sendForm } from '../shared/dom.ts'
import { plural, t } from '../shared/translate.ts'
import { type Cell, type Move, readShare, type Share } from './floor-plan.ts'

type Step = Array<Move & { from: Share | undefined }>
/** A step of something else than cells, which saves itself. */
type OtherStep = { undo(): void; redo(): void }
type Callbacks = { announce(sentence: string, tone?: string): void; onChange(): void }

const NAMES_SHOWN_MAX = 3

export type Steps = ReturnType<typeof createSteps>

export function createSteps(cells: Cell[], form: HTMLFormElement, { announce, onChange }: Callbacks) {
  const history = createHistory()
  let settleOthers = () => {}
  let lastNumber = 0
  let sending = Promise.resolve()

  /** All cells whose shown position differs from the settled one make a step. */
  function settle() {
    settleOthers()
    const step = cells
      .filter(({ shown, settled }) => shareText(shown) !== shareText(settled))
      .map((cell) => ({ cell, from: cell.settled, to: cell.shown }))
    if (step.length === 0) return
    history.add(step)
    send(step, (names) => t`${names} saved.`)
  }

  function undo() {
    settle()
    const step = history.back()
    if (!step) return announce(t`Nothing to undo.`)
    if (!Array.isArray(step)) return runOther(step.undo)
    const back = step.map(({ cell, from, to }) => ({ cell, from: to, to: from }))
    send(back, (names) => t`Undone: ${names} saved.`)
  }

  function redo() {
    settle()
    const step = history.again()
    if (!step) return announce(t`Nothing to redo.`)
    if (!Array.isArray(step)) return runOther(step.redo)
    send(step, (names) => t`Redone: ${names} saved.`)
  }

  function runOther(run: () => void) {
    run()
    onChange()
  }

  /** Sent one after the other, so that the last step is stored last. */
  function send(step: Step, describe: (names: string) => string) {
    const number = ++lastNumber
    for (const { cell, to } of step) {
      cell.settled = to
      cell.step = number
      cell.show(to)
    }
    onChange()
    sending = sending.then(async () => {
      const names = formatNames(step.map(({ cell }) => cell))
      announce(t`Saving ${names}…`)
      const problem = await save(form, step)
      if (problem !== undefined) revert(step, number, names, problem)
      else if (number === lastNumber) announce(describe(names), 'good')
    })
  }

  function revert(step: Step, number: number, names: string, problem: string) {
    // A cell with a later step stays where that step puts it.
    for (const { cell } of step.filter((each) => each.cell.step === number)) {
      cell.settled = cell.saved
      cell.show(cell.saved)
    }
    // The earlier positions of these cells are no longer known.
    history.keep((other) => !Array.isArray(other) || !haveSameCell(other, step))
    onChange()
    announce(describeRevert(step.length, names, problem), 'bad')
  }

  return {
    settle,
    undo,
    redo,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    /** A step that is done already. */
    add: (step: OtherStep) => runOther(() => history.add(step)),
    /** `run` makes a step of what else has changed. */
    settleWith(run: () => void) {
      settleOthers = run
    },
  }
}

const describeRevert = (count: number, names: string, problem: string) =>
  count === 1 ? t`${names} was not moved. ${problem}` : t`${names} were not moved. ${problem}`

const haveSameCell = (one: Step, other: Step) =>
  one.some(({ cell }) => other.some((each) => each.cell === cell))

function createHistory() {
  let done: Array<Step | OtherStep> = []
  let undone: Array<Step | OtherStep> = []
  const take = (from: typeof done, to: typeof done) => {
    const step = from.pop()
    if (step) to.push(step)
    return step
  }
  return {
    add(step: Step | OtherStep) {
      done.push(step)
      undone = []
    },
    back: () => take(done, undone),
    again: () => take(undone, done),
    keep(isKept: (step: Step | OtherStep) => boolean) {
      done = done.filter(isKept)
      undone = undone.filter(isKept)
    },
    canUndo: () => done.length > 0,
    canRedo: () => undone.length > 0,
  }
}

/** Moves cells, which makes a step. */
export function move(moves: Move[], steps: Steps) {
  for (const { cell, to } of moves) cell.show(to)
  steps.settle()
}

/** “Desk 1, Desk 2, Desk 3 and 5 more”. */
export function formatNames(cells: Cell[]): string {
  const names = cells.map(({ name }) => name)
  const more = names.length - NAMES_SHOWN_MAX
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ')
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', shown) : shown
}

/** Returns what prevents the step, if anything. */
async function save(form: HTMLFormElement, step: Step): Promise<string | undefined> {
  const fill = (body: URLSearchParams) => {
    for (const { cell, to } of step)
      body.append('moves', `${cell.id}/${shareText(to)}/${positionText(cell.saved)}`)
  }
  const cells = step.map(({ cell }) => cell)
  const problem = await sendForm(form, fill, (page) => describeProblem(page, cells))
  if (problem === undefined) for (const { cell, to } of step) cell.saved = to
  return problem
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
      ? t`Somebody else has moved it.`
      : t`Somebody else has moved ${formatNames(moved)}.`
  const gone = page.querySelector('svg.map-cells') ? cells.filter((cell) => !found.get(cell)) : []
  if (gone.length === 1) return t`${formatNames(gone)} is no longer here.`
  return gone.length > 1 ? t`${formatNames(gone)} are no longer here.` : describeRefusal(page)
}

/** The position that the server shows now. */
function findPosition(page: Document, id: string): { share: Share | undefined } | undefined {
  const cell = page.querySelector<SVGElement>(`svg.map-cells .cell[data-bookable="${id}"]`)
  if (!cell) return undefined
  return { share: readShare(cell.dataset) }
}

/** The format of the server's versions (shared/schemas/versions.ts). */
function positionText(share: Share | undefined): string {
  if (!share) return 'none'
  const turn = share.rotation ? ` ${share.rotation}` : ''
  return `${Math.round(share.x * 100_000)} ${Math.round(share.y * 100_000)}${turn}`
}

/** A new position, with the own size. */
function shareText(share: Share | undefined): string {
  if (!share?.size) return positionText(share)
  const steps = [share.x, share.y, share.size.width, share.size.height].map((each) =>
    Math.round(each * 100_000),
  )
  const [x, y, width, height] = steps
  return `${x} ${y} ${share.rotation ?? 0} ${width} ${height}`
}
