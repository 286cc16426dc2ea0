// @ts-check
// Saves moved cells with the form of the page, and undoes steps. A step contains what was moved together, and
// is saved completely or not at all. A refused step is reverted.
import { plural, t } from './translate.js'

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').Point} Point */
/** @typedef {import('./move-input.js').Move} Move */
/** @typedef {Array<{ cell: Cell, from: Point | undefined, to: Point | undefined }>} Step */

// The limit for requests that continue while the user leaves the page.
const KEPT_ALIVE_BYTES_MAX = 60_000
const NAMES_SHOWN_MAX = 3

export class Steps {
  /**
   * @param {Cell[]} cells
   * @param {HTMLFormElement} form
   * @param {{ announce: (sentence: string, tone?: string) => void, changed: () => void }} callbacks
   */
  constructor(cells, form, { announce, changed }) {
    this.cells = cells
    this.form = form
    this.announce = announce
    this.changed = changed
    /** @type {Step[]} */
    this.done = []
    /** @type {Step[]} */
    this.undone = []
    this.number = 0
    this.sending = Promise.resolve()
  }

  /** @param {Move[]} moves */
  add(moves) {
    for (const { cell, to } of moves) cell.show(to)
    this.settle()
  }

  /** All cells whose shown position differs from the settled one make a step. */
  settle() {
    const step = this.cells
      .filter(({ shown, settled }) => positionText(shown) !== positionText(settled))
      .map((cell) => ({ cell, from: cell.settled, to: cell.shown }))
    if (step.length === 0) return
    this.done.push(step)
    this.undone = []
    this.#send(step, (names) => t`${names} saved.`)
  }

  undo() {
    this.settle()
    const step = this.done.pop()
    if (!step) return this.announce(t`Nothing to undo.`)
    this.undone.push(step)
    this.#send(
      step.map(({ cell, from, to }) => ({ cell, from: to, to: from })),
      (names) => t`Undone: ${names} saved.`,
    )
  }

  redo() {
    this.settle()
    const step = this.undone.pop()
    if (!step) return this.announce(t`Nothing to redo.`)
    this.done.push(step)
    this.#send(step, (names) => t`Redone: ${names} saved.`)
  }

  /**
   * Sent one after the other, so that the last step is stored last.
   * @param {Step} step
   * @param {(names: string) => string} describe
   */
  #send(step, describe) {
    const stepNumber = ++this.number
    for (const { cell, to } of step) {
      cell.settled = to
      cell.step = stepNumber
      cell.show(to)
    }
    this.changed()
    this.sending = this.sending.then(() => this.#save(step, describe, stepNumber))
  }

  /**
   * @param {Step} step
   * @param {(names: string) => string} describe
   * @param {number} stepNumber
   */
  async #save(step, describe, stepNumber) {
    const names = nameAll(step.map(({ cell }) => cell))
    this.announce(t`Saving ${names}…`)
    const problem = await send(this.form, step)
    if (problem === undefined) {
      for (const { cell, to } of step) cell.saved = to
      if (stepNumber === this.number) this.announce(describe(names), 'good')
      return
    }
    // A cell with a later step stays where that step puts it.
    for (const { cell } of step) {
      if (cell.step !== stepNumber) continue
      cell.settled = cell.saved
      cell.show(cell.saved)
    }
    const isOther = (/** @type {Step} */ other) =>
      other.every(({ cell }) => step.every((each) => each.cell !== cell))
    // The earlier positions of these cells are no longer known.
    this.done = this.done.filter(isOther)
    this.undone = this.undone.filter(isOther)
    this.changed()
    const sentence =
      step.length === 1 ? t`${names} was not moved. ${problem}` : t`${names} were not moved. ${problem}`
    this.announce(sentence, 'bad')
  }
}

/**
 * “Desk 1, Desk 2, Desk 3 and 5 more”.
 * @param {Cell[]} cells
 */
export function nameAll(cells) {
  const names = cells.map(({ name }) => name)
  const more = names.length - NAMES_SHOWN_MAX
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ')
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', shown) : shown
}

/**
 * Returns what prevents the step, if anything. Records the new positions of cells that another user has
 * moved.
 * @param {HTMLFormElement} form
 * @param {Step} step
 * @returns {Promise<string | undefined>}
 */
async function send(form, step) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  // Each step needs its own submission id.
  body.delete('_submission')
  for (const { cell, to } of step) {
    body.append('moves', `${cell.id}/${positionText(to)}/${positionText(cell.saved)}`)
  }
  try {
    const keepalive = String(body).length < KEPT_ALIVE_BYTES_MAX
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive })
    if (answer.type === 'opaqueredirect') return undefined
    return describeProblem(new DOMParser().parseFromString(await answer.text(), 'text/html'), step)
  } catch {
    return t`Berth could not be reached.`
  }
}

/**
 * @param {Document} shown
 * @param {Step} step
 */
function describeProblem(shown, step) {
  const cells = step.map(({ cell }) => cell)
  const found = new Map(cells.map((cell) => [cell, positionIn(shown, cell.id)]))
  const moved = cells.filter((cell) => {
    const present = found.get(cell)
    return present && positionText(present.share) !== positionText(cell.saved)
  })
  for (const cell of moved) cell.saved = found.get(cell)?.share
  if (moved.length > 0) {
    return cells.length === 1 ? t`Another user has moved it.` : t`Another user has moved ${nameAll(moved)}.`
  }
  const gone = shown.querySelector('svg.map-cells') ? cells.filter((cell) => !found.get(cell)) : []
  if (gone.length === 1) return t`${nameAll(gone)} is no longer here.`
  if (gone.length > 1) return t`${nameAll(gone)} are no longer here.`
  const sentence = shown.querySelector('main .notice.bad p, main .card p')?.textContent
  return sentence?.trim() || t`Could not save.`
}

/**
 * The position that the server shows now.
 * @param {Document} shown
 * @param {string} id
 */
function positionIn(shown, id) {
  const cell = shown.querySelector(`svg.map-cells .cell[data-bookable="${id}"]`)
  if (!cell) return undefined
  const [x, y] = [cell.getAttribute('data-x'), cell.getAttribute('data-y')]
  return { share: x === null || y === null ? undefined : { x: Number(x), y: Number(y) } }
}

/**
 * The format of the server's versions (shared/schemas/versions.ts).
 * @param {Point | undefined} share
 */
function positionText(share) {
  return share ? `${Math.round(share.x * 100_000)} ${Math.round(share.y * 100_000)}` : 'none'
}
