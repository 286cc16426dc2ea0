// @ts-check
// Saves where a booking was moved to, by the form of the page; what is refused is told, and stays where it was.
import { formatMinute, localTime } from './timeline-grid.js'

/** @typedef {import('./timeline-grid.js').Place} Place */

export class Saving {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box
    this.form = box.querySelector('[data-move] form')
    this.notice = /** @type {HTMLElement} */ (box.querySelector('[data-told]'))
    this.part = /** @type {HTMLElement} */ (box.querySelector('[data-refresh]'))
    this.sending = Promise.resolve()
  }

  /** Who may not change bookings has no form. */
  get isAllowed() {
    return this.form instanceof HTMLFormElement
  }

  /**
   * One after the other, so that the last one is the last to be stored.
   * @param {string} booking
   * @param {Place} place
   */
  move(booking, place) {
    this.sending = this.sending.then(() => this.#save(booking, place))
  }

  /**
   * @param {string} booking
   * @param {Place} place
   */
  async #save(booking, { bookable, name, from, to }) {
    const table = this.box.querySelector('table.timeline')
    if (!table || !(this.form instanceof HTMLFormElement)) return
    this.#tell('Saving…')
    const fields = { booking, bookable, from_time: localTime(table, from), to_time: localTime(table, to) }
    const problem = await send(this.form, fields)
    if (problem === undefined)
      this.#tell(`Saved: ${name}, ${formatMinute(from)} to ${formatMinute(to)}.`, 'good')
    else this.#tell(`Not saved. ${problem}`, 'bad')
    this.part.dispatchEvent(new Event('refresh'))
  }

  /**
   * @param {string} sentence
   * @param {string} [tone]
   */
  #tell(sentence, tone = '') {
    this.notice.hidden = false
    this.notice.className = `notice ${tone}`
    this.notice.textContent = sentence
  }
}

/**
 * Returns what stands in the way, if anything does.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} fields
 */
async function send(form, fields) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, fields[name] ?? String(value))
  // Each move is a form of its own.
  body.delete('_submission')
  try {
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive: true })
    if (answer.type === 'opaqueredirect') return undefined
    const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const told = shown.querySelectorAll('main .notice.bad p, main .error p')
    const sentences = [...told].map(({ textContent }) => textContent?.trim()).filter(Boolean)
    return sentences.join(' ') || 'It could not be saved.'
  } catch {
    return 'Berth could not be reached.'
  }
}
