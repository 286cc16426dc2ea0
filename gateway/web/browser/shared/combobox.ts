// A field that searches while the user types (in WAI-ARIA, a combobox with a list). The first result is
// marked, arrow keys mark another result, Enter chooses the marked one, and Escape closes the list or,
// pressed again, empties the field.

import { LOADING_PLACEHOLDER } from '../../pages/ui/skeleton.ts'
import { closestElement, debounce, hasShortcutModifier, setAttributes } from './dom.ts'
import { t } from './translate.ts'

const DEBOUNCE_MS = 120
const OPTION_SELECTOR = '[role="option"]:not([aria-disabled="true"])'

type ComboboxOptions = {
  label: string
  /** Returns options as HTML, or undefined if the request fails. */
  find(words: string): Promise<string | undefined>
  choose(option: HTMLElement): void
  announce(sentence: string): void
}

export class Combobox {
  readonly #field: HTMLInputElement
  readonly #options: ComboboxOptions
  readonly #list = document.createElement('ul')
  readonly #debounce = debounce(DEBOUNCE_MS, () => this.#find())
  #requestNumber = 0
  #isWaiting = false
  #isEntered = false

  constructor(field: HTMLInputElement, options: ComboboxOptions) {
    this.#field = field
    this.#options = options
    const list = this.#list
    setAttributes(list, {
      id: `${field.id}-found`,
      class: 'options',
      role: 'listbox',
      'aria-label': options.label,
    })
    setAttributes(field, {
      type: 'text',
      autocomplete: 'off',
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-controls': list.id,
    })
    this.#close()
    field.after(list)
    field.addEventListener('input', () => this.#search())
    field.addEventListener('keydown', (event) => this.#press(event))
    field.addEventListener('blur', () => this.#close())
    // Keeps the focus in the field when the user presses the mouse on the list.
    list.addEventListener('mousedown', (event) => event.preventDefault())
    list.addEventListener('click', (event) => this.#choose(closestElement(event, OPTION_SELECTOR)))
  }

  /** Closes the list, and ignores pending results. */
  #close() {
    this.#requestNumber++
    this.#debounce.cancel()
    this.#isWaiting = false
    this.#isEntered = false
    this.#list.hidden = true
    this.#list.removeAttribute('aria-busy')
    this.#field.setAttribute('aria-expanded', 'false')
    this.#field.removeAttribute('aria-activedescendant')
  }

  #search() {
    this.#isWaiting = true
    this.#isEntered = false
    // Ignores pending results for the earlier text.
    this.#requestNumber++
    if (this.#field.value.trim() === '') this.#close()
    else this.#debounce.later()
  }

  async #find() {
    const request = this.#requestNumber
    const { announce, find } = this.#options
    this.#list.setAttribute('aria-busy', 'true')
    if (this.#list.hidden) {
      this.#list.innerHTML = LOADING_PLACEHOLDER
      this.#list.hidden = false
    }
    const text = await find(this.#field.value.trim())
    if (request !== this.#requestNumber) return
    this.#isWaiting = false
    if (text === undefined) {
      this.#close()
      return announce(t`Berth could not be reached.`)
    }
    this.#list.innerHTML = text
    this.#list.removeAttribute('aria-busy')
    this.#field.setAttribute('aria-expanded', 'true')
    const { length, 0: first } = this.#listOptions()
    this.#mark(first)
    announce(length === 0 ? this.#list.textContent : t`${length} found.`)
    if (this.#isEntered && first) this.#choose(first)
  }

  #press(event: KeyboardEvent) {
    // Ignores keys while an input method composes a character, which uses Enter and the arrow keys.
    if (event.isComposing || hasShortcutModifier(event)) return
    const isOpen = !this.#list.hidden
    if (event.key === 'Enter') {
      event.preventDefault()
      // If the user presses Enter before the results arrive, Enter chooses the first result.
      if (this.#isWaiting) this.#isEntered = true
      else if (isOpen) this.#choose(this.#marked())
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (isOpen) this.#move(event.key === 'ArrowDown' ? 1 : -1)
      else this.#search()
    } else if (event.key === 'Escape') {
      if (!isOpen) this.#field.value = ''
      this.#close()
    }
  }

  #move(by: number) {
    const options = this.#listOptions()
    const marked = this.#marked()
    const at = marked ? options.indexOf(marked) : -1
    this.#mark(options[(at + by + options.length) % options.length])
  }

  #mark(option: HTMLElement | undefined) {
    for (const each of this.#listOptions()) each.setAttribute('aria-selected', String(each === option))
    if (option) this.#field.setAttribute('aria-activedescendant', option.id)
    else this.#field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  #marked() {
    return this.#list.querySelector<HTMLElement>(`${OPTION_SELECTOR}[aria-selected="true"]`)
  }

  #choose(option: HTMLElement | null) {
    if (!option) return
    this.#field.value = ''
    this.#close()
    this.#options.choose(option)
  }

  #listOptions(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>(OPTION_SELECTOR)]
  }
}
