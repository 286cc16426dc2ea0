// @ts-check
// The planned meeting in the page's address: when, who, and which rooms. Each change is shown at once, and
// the form is sent to the same address.

export class MeetingAddress {
  /**
   * @param {HTMLElement} part
   * @param {HTMLFormElement} form
   */
  constructor(part, form) {
    this.part = part
    this.form = form
  }

  /** @param {string} name */
  get(name) {
    return new URLSearchParams(location.search).get(name) ?? ''
  }

  /**
   * Adds one mark, removes one, or both.
   * @param {{ add?: string | undefined, drop?: string | undefined }} marks
   * @param {Record<string, string>} [more]
   */
  choose({ add, drop }, more = {}) {
    const [added, dropped] = [this.#marks('add'), this.#marks('drop')]
    // As on the server: for what the event already contains, only the removal is stored.
    if (drop && !added.delete(drop)) dropped.add(drop)
    if (add && !dropped.delete(add)) added.add(add)
    this.change({ ...more, add: [...added].join(), drop: [...dropped].join() })
  }

  /**
   * An empty value removes the parameter.
   * @param {Record<string, string>} values
   */
  change(values) {
    this.remember(values)
    this.part.dispatchEvent(new Event('refresh'))
  }

  /**
   * The same, for values that the page already shows.
   * @param {Record<string, string>} values
   */
  remember(values) {
    const url = new URL(location.href)
    // Ends a search that began without scripts.
    for (const [name, value] of Object.entries({ ...values, person: '', visitor: '' })) {
      if (value === '') url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    history.replaceState(history.state, '', url)
    this.form.action = url.pathname + url.search
    this.part.dataset.refresh = this.partAddress('meeting')
  }

  /**
   * @param {string} name
   * @param {Record<string, string>} [more]
   */
  partAddress(name, more = {}) {
    const url = new URL(location.href)
    for (const [key, value] of Object.entries({ ...more, _part: name })) url.searchParams.set(key, value)
    return url.pathname + url.search
  }

  /** @param {string} name */
  #marks(name) {
    return new Set(this.get(name).split(',').filter(Boolean))
  }
}
