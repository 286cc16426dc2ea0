// @ts-check
// Saves where something was moved to, by the form beside the plan; a move that is refused is undone.

/** @typedef {import('./plan-sheet.js').Cell} Cell */
/** @typedef {import('./plan-sheet.js').Point} Point */

/** The moves of one thing, one after the other, so that the last one is the last to be stored. */
export class Moves {
  /**
   * @param {Cell} cell
   * @param {HTMLFormElement} form
   * @param {{ tell: (sentence: string, tone?: string) => void, changed: () => void }} told
   */
  constructor(cell, form, { tell, changed }) {
    this.cell = cell
    this.form = form
    this.tell = tell
    this.changed = changed
    this.number = 0
    this.sending = Promise.resolve()
  }

  /** @param {Point | undefined} share */
  add(share) {
    const own = ++this.number
    this.cell.show(share)
    this.changed()
    this.sending = this.sending.then(() => this.#save(share, () => own === this.number))
  }

  /**
   * @param {Point | undefined} share
   * @param {() => boolean} isLast
   */
  async #save(share, isLast) {
    const { cell } = this
    this.tell(`Saving ${cell.name}…`)
    const problem = await send(this.form, cell.id, share)
    if (problem === undefined) cell.saved = share
    // What is still to be sent shows where it is to stand.
    if (!isLast()) return
    if (problem === undefined) return this.tell(`${cell.name} is saved.`, 'good')
    cell.show(cell.saved)
    this.changed()
    this.tell(`${cell.name} was not moved: ${problem}`, 'bad')
  }
}

/**
 * Returns what stands in the way, if anything does.
 * @param {HTMLFormElement} form
 * @param {string} id
 * @param {Point | undefined} share
 */
async function send(form, id, share) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  // Each move is a form of its own.
  body.delete('_submission')
  body.set('bookable', id)
  body.set('left', share ? percent(share.x) : '')
  body.set('top', share ? percent(share.y) : '')
  try {
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive: true })
    if (answer.type === 'opaqueredirect') return undefined
    const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const sentence = shown.querySelector('main .notice.bad p, main .card p')?.textContent
    return sentence?.trim() || 'it could not be saved.'
  } catch {
    return 'the service could not be reached.'
  }
}

/** @param {number} share */
function percent(share) {
  return String(Math.round(share * 100_000) / 1_000)
}
