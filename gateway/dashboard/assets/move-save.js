// @ts-check
// Saves where something was moved to, by the form beside the floor plan; a move that is refused is undone.

/** @typedef {import('./floor-plan.js').Cell} Cell */
/** @typedef {import('./floor-plan.js').Point} Point */

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
    const { problem, present } = await send(this.form, cell, share)
    if (problem === undefined) cell.saved = share
    else if (present) cell.saved = present.share
    // What is still to be sent shows where it is to stand.
    if (!isLast()) return
    if (problem === undefined) return this.tell(`${cell.name} saved.`, 'good')
    cell.show(cell.saved)
    this.changed()
    this.tell(`${cell.name} was not moved. ${problem}`, 'bad')
  }
}

/**
 * Returns what stands in the way, if anything does, and where the thing stands where somebody else has moved it.
 * @param {HTMLFormElement} form
 * @param {Cell} cell
 * @param {Point | undefined} share
 * @returns {Promise<{ problem?: string, present?: { share: Point | undefined } }>}
 */
async function send(form, { id, saved }, share) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  // Each move is a form of its own.
  body.delete('_submission')
  body.set('bookable', id)
  body.set('left', share ? percent(share.x) : '')
  body.set('top', share ? percent(share.y) : '')
  body.set('_version', versionOf(saved))
  try {
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive: true })
    if (answer.type === 'opaqueredirect') return {}
    const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const present = positionIn(shown, id)
    if (present && versionOf(present.share) !== versionOf(saved)) {
      return { problem: 'Somebody else has moved it meanwhile.', present }
    }
    const sentence = shown.querySelector('main .notice.bad p, main .card p')?.textContent
    return { problem: sentence?.trim() || 'It could not be saved.' }
  } catch {
    return { problem: 'Berth could not be reached.' }
  }
}

/**
 * Where the server shows a thing now.
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
 * The version of a position, as the server works it out (shared/shapes/versions.ts).
 * @param {Point | undefined} share
 */
function versionOf(share) {
  return share ? `${Math.round(share.x * 100_000)} ${Math.round(share.y * 100_000)}` : 'none'
}

/** @param {number} share */
function percent(share) {
  return String(Math.round(share * 100_000) / 1_000)
}
