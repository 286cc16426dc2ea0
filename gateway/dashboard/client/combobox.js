// @ts-check
// A field that searches while the user types, as WAI-ARIA defines a combobox with a list: the first result is
// marked, arrow keys mark another, Enter chooses it, and Escape closes the list or, pressed again, empties
// the field.
import { t } from './translate.js'

const DEBOUNCE_MS = 120

/**
 * `find` returns options as HTML, or undefined if the request fails.
 * @typedef {{ label: string, find: (words: string) => Promise<string | undefined>, take: (option: HTMLElement) => void, announce: (sentence: string) => void }} Options
 */

export class Combobox {
  /**
   * @param {HTMLInputElement} field
   * @param {Options} options
   */
  constructor(field, options) {
    this.field = field
    this.options = options
    this.list = document.createElement('ul')
    this.requestNumber = 0
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.debounce = undefined
    this.isWaiting = false
    this.isEntered = false
    this.#build()
    field.addEventListener('input', () => this.#search())
    field.addEventListener('keydown', (event) => this.#press(event))
    field.addEventListener('blur', () => this.close())
    // Keeps the focus in the field.
    this.list.addEventListener('mousedown', (event) => event.preventDefault())
    this.list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element ? target.closest('[role="option"]') : null
      if (option instanceof HTMLElement) this.#take(option)
    })
  }

  /** Pending results are not shown any more. */
  close() {
    this.requestNumber++
    clearTimeout(this.debounce)
    this.isWaiting = false
    this.isEntered = false
    this.list.hidden = true
    this.field.setAttribute('aria-expanded', 'false')
    this.field.removeAttribute('aria-activedescendant')
  }

  #build() {
    const { field, list } = this
    list.id = `${field.id}-found`
    list.className = 'options'
    list.hidden = true
    list.setAttribute('role', 'listbox')
    list.setAttribute('aria-label', this.options.label)
    field.type = 'text'
    field.autocomplete = 'off'
    field.setAttribute('role', 'combobox')
    field.setAttribute('aria-autocomplete', 'list')
    field.setAttribute('aria-expanded', 'false')
    field.setAttribute('aria-controls', list.id)
    field.after(list)
  }

  #search() {
    this.isWaiting = true
    this.isEntered = false
    clearTimeout(this.debounce)
    // Makes results for earlier text out of date.
    const request = ++this.requestNumber
    if (this.field.value.trim() === '') return this.close()
    this.debounce = setTimeout(() => this.#find(request), DEBOUNCE_MS)
  }

  /** @param {number} request */
  async #find(request) {
    const text = await this.options.find(this.field.value.trim())
    if (request !== this.requestNumber) return
    this.isWaiting = false
    if (text === undefined) {
      this.close()
      return this.options.announce(t`Berth could not be reached.`)
    }
    this.list.innerHTML = text
    this.list.hidden = false
    this.field.setAttribute('aria-expanded', 'true')
    const [first] = this.#listOptions()
    this.#mark(first)
    const { length } = this.#listOptions()
    this.options.announce(length === 0 ? (this.list.textContent ?? '') : t`${length} found.`)
    if (this.isEntered && first) this.#take(first)
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    // While an input method composes a character, it uses Enter and the arrow keys.
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const isOpen = !this.list.hidden
    if (event.key === 'Enter') {
      event.preventDefault()
      // If Enter comes before the results, it chooses the first one.
      if (this.isWaiting) this.isEntered = true
      else if (isOpen) this.#take(this.#marked())
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (isOpen) this.#move(event.key === 'ArrowDown' ? 1 : -1)
      else this.#search()
    } else if (event.key === 'Escape') {
      if (!isOpen) this.field.value = ''
      this.close()
    }
  }

  /** @param {number} by */
  #move(by) {
    const options = this.#listOptions()
    const marked = this.#marked()
    const at = marked ? options.indexOf(marked) : -1
    this.#mark(options[(at + by + options.length) % options.length])
  }

  /** @param {HTMLElement | undefined} option */
  #mark(option) {
    for (const each of this.#listOptions()) each.setAttribute('aria-selected', String(each === option))
    if (option) this.field.setAttribute('aria-activedescendant', option.id)
    else this.field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  #marked() {
    return this.#listOptions().find((each) => each.getAttribute('aria-selected') === 'true')
  }

  /** @param {HTMLElement | undefined} option */
  #take(option) {
    if (!option || option.getAttribute('aria-disabled') === 'true') return
    this.field.value = ''
    this.close()
    this.options.take(option)
  }

  /** @returns {HTMLElement[]} */
  #listOptions() {
    const all = this.list.querySelectorAll('[role="option"]:not([aria-disabled="true"])')
    return [...all].filter((each) => each instanceof HTMLElement)
  }
}
