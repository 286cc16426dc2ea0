// Saves moved cells with the page's form, and undoes steps. A step contains the cells that were moved
// together, and is saved completely or not at all. A refused step is reverted.
import { describeRefusal, sendForm } from '../shared/dom.ts'
import { plural, t } from '../shared/translate.ts'
import { type Cell, type CellMove, type CellPosition, readCellPosition } from './floor-plan.ts'

type MoveStep = Array<CellMove & { from: CellPosition | undefined }>
/** A step that changes something other than cells, and saves itself. */
type ShapeStep = { undo(): void; redo(): void }
type MoveCallbacks = { announce(sentence: string, tone?: string): void; onChange(): void }

const SHOWN_NAMES_MAX = 3

export type MoveSteps = ReturnType<typeof createMoveSteps>

export function createMoveSteps(cells: Cell[], form: HTMLFormElement, { announce, onChange }: MoveCallbacks) {
  const history = createHistory()
  let settleOthers = () => {}
  let lastNumber = 0
  let sending = Promise.resolve()

  /** Records all cells whose shown position differs from their settled position as one step. */
  function settle() {
    settleOthers()
    const step = cells
      .filter(({ shown, settled }) => formatShare(shown) !== formatShare(settled))
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

  /** Sends steps one after the other, so that the last step is stored last. */
  function send(step: MoveStep, describe: (names: string) => string) {
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
      const problem = await saveStep(form, step)
      if (problem !== undefined) revert(step, number, names, problem)
      else if (number === lastNumber) announce(describe(names), 'good')
    })
  }

  function revert(step: MoveStep, number: number, names: string, problem: string) {
    // If a cell has a later step, the cell stays where the later step puts it.
    for (const { cell } of step.filter((each) => each.cell.step === number)) {
      cell.settled = cell.saved
      cell.show(cell.saved)
    }
    // Forgets earlier steps with these cells, because the cells' former positions are no longer known.
    history.keep((other) => !Array.isArray(other) || !haveCommonCell(other, step))
    onChange()
    announce(describeRevert(step.length, names, problem), 'bad')
  }

  return {
    settle,
    undo,
    redo,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    /** Records a step that has already been carried out. */
    add: (step: ShapeStep) => runOther(() => history.add(step)),
    /** Sets the function that records changes of shapes as steps. `settle` calls it before it records moved cells. */
    settleWith(run: () => void) {
      settleOthers = run
    },
  }
}

const describeRevert = (count: number, names: string, problem: string) =>
  count === 1 ? t`${names} was not moved. ${problem}` : t`${names} were not moved. ${problem}`

const haveCommonCell = (one: MoveStep, other: MoveStep) =>
  one.some(({ cell }) => other.some((each) => each.cell === cell))

function createHistory() {
  let done: Array<MoveStep | ShapeStep> = []
  let undone: Array<MoveStep | ShapeStep> = []
  const take = (from: typeof done, to: typeof done) => {
    const step = from.pop()
    if (step) to.push(step)
    return step
  }
  return {
    add(step: MoveStep | ShapeStep) {
      done.push(step)
      undone = []
    },
    back: () => take(done, undone),
    again: () => take(undone, done),
    keep(isKept: (step: MoveStep | ShapeStep) => boolean) {
      done = done.filter(isKept)
      undone = undone.filter(isKept)
    },
    canUndo: () => done.length > 0,
    canRedo: () => undone.length > 0,
  }
}

/** Moves cells as one step. */
export function moveCells(moves: CellMove[], steps: MoveSteps) {
  for (const { cell, to } of moves) cell.show(to)
  steps.settle()
}

/** Lists names, such as “Desk 1, Desk 2, Desk 3 and 5 more”. */
export function formatNames(cells: Cell[]): string {
  const names = cells.map(({ name }) => name)
  const more = names.length - SHOWN_NAMES_MAX
  const shown = names.slice(0, SHOWN_NAMES_MAX).join(', ')
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', shown) : shown
}

/** Saves a step. If that fails, returns the reason. */
async function saveStep(form: HTMLFormElement, step: MoveStep): Promise<string | undefined> {
  const fill = (body: URLSearchParams) => {
    for (const { cell, to } of step)
      body.append('moves', `${cell.id}/${formatShare(to)}/${formatPosition(cell.saved)}`)
  }
  const cells = step.map(({ cell }) => cell)
  const problem = await sendForm(form, fill, (page) => describeProblem(page, cells))
  if (problem === undefined) for (const { cell, to } of step) cell.saved = to
  return problem
}

/** Describes why a step was refused, and records the new positions of cells that another user has moved. */
function describeProblem(page: Document, cells: Cell[]): string {
  const found = new Map(cells.map((cell) => [cell, findPosition(page, cell.id)]))
  const moved = cells.filter((cell) => {
    const present = found.get(cell)
    return present && formatPosition(present.share) !== formatPosition(cell.saved)
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

/** Returns the position that the server currently shows for a cell. */
function findPosition(page: Document, id: string): { share: CellPosition | undefined } | undefined {
  const cell = page.querySelector<SVGElement>(`svg.map-cells .cell[data-bookable="${id}"]`)
  if (!cell) return undefined
  return { share: readCellPosition(cell.dataset) }
}

/** Formats a position in the format of the server's versions (see shared/schemas/versions.ts). */
function formatPosition(share: CellPosition | undefined): string {
  if (!share) return 'none'
  const turn = share.rotation ? ` ${share.rotation}` : ''
  return `${Math.round(share.x * 100_000)} ${Math.round(share.y * 100_000)}${turn}`
}

/** Formats a new position, including the cell's own size. */
function formatShare(share: CellPosition | undefined): string {
  if (!share?.size) return formatPosition(share)
  const steps = [share.x, share.y, share.size.width, share.size.height].map((each) =>
    Math.round(each * 100_000),
  )
  const [x, y, width, height] = steps
  return `${x} ${y} ${share.rotation ?? 0} ${width} ${height}`
}
