// @ts-check
// Saves moved bookings with the form of the page. If a move is refused, the message is shown and the booking
// stays where it was.
import { formatMinute, localTime, placeOf } from './timeline-grid.js'
import { t } from './translate.js'

/** @typedef {import('./timeline-grid.js').Place} Place */

export class Saving {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box
    this.form = box.querySelector('[data-move] form')
    this.notice = /** @type {HTMLElement} */ (box.querySelector('[data-told]'))
    this.part = /** @type {HTMLElement} */ (box.querySelector('[data-refresh]'))
    this.sending = Promise.resolve()
    this.unsaved = 0
    /** @type {Map<string, Place>} */
    this.wanted = new Map()
    // The rows now show everything that was saved.
    new MutationObserver(() => this.unsaved === 0 && this.wanted.clear()).observe(this.part, {
      childList: true,
    })
  }

  /** Viewers who may not change bookings have no form. */
  get isAllowed() {
    return this.form instanceof HTMLFormElement
  }

  /**
   * The place of a booking, including unsaved moves, so that the next key press continues from there.
   * @param {HTMLElement} link
   */
  placeOf(link) {
    return this.wanted.get(link.dataset.booking ?? '') ?? placeOf(link)
  }

  /**
   * Sent one after the other, so that the last move is stored last.
   * @param {string} booking
   * @param {Place} place
   */
  move(booking, place) {
    this.wanted.set(booking, place)
    this.unsaved++
    this.sending = this.sending.then(() => this.#save(booking, place))
  }

  /**
   * @param {string} booking
   * @param {Place} place
   */
  async #save(booking, place) {
    this.#announce(t`Saving…`)
    const { name, from, to } = place
    const problem = await this.#send(booking, place)
    this.unsaved--
    if (problem === undefined) {
      this.#announce(t`Saved: ${name}, ${formatMinute(from)} to ${formatMinute(to)}.`, 'good')
    } else {
      this.#announce(t`Not saved. ${problem}`, 'bad')
      if (this.wanted.get(booking) === place) this.wanted.delete(booking)
    }
    // An earlier refresh would show bookings at their old places.
    if (this.unsaved === 0) this.part.dispatchEvent(new Event('refresh'))
  }

  /**
   * Returns what prevents the move, if anything.
   * @param {string} booking
   * @param {Place} place
   */
  async #send(booking, { bookable, from, to }) {
    const table = this.box.querySelector('table.timeline')
    if (!table || !(this.form instanceof HTMLFormElement)) return t`Could not save.`
    const fields = { booking, bookable, from_time: localTime(table, from), to_time: localTime(table, to) }
    return send(this.form, fields)
  }

  /**
   * @param {string} sentence
   * @param {string} [tone]
   */
  #announce(sentence, tone = '') {
    this.notice.hidden = false
    this.notice.className = `notice ${tone}`
    this.notice.textContent = sentence
  }
}

/**
 * Returns what prevents the move, if anything.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} fields
 */
async function send(form, fields) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, fields[name] ?? String(value))
  // Each move needs its own submission id.
  body.delete('_submission')
  try {
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive: true })
    if (answer.type === 'opaqueredirect') return undefined
    const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const told = shown.querySelectorAll('main .notice.bad p, main .error p')
    const sentences = [...told].map(({ textContent }) => textContent?.trim()).filter(Boolean)
    return sentences.join(' ') || t`Could not save.`
  } catch {
    return t`Berth could not be reached.`
  }
}
