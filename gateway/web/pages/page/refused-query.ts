// The invalid parameters in a page's address. A search ignores these parameters, and shows what was typed and
// what is wrong with it. If the page has no field for one of the parameters, the whole address is refused.
import { type FieldErrors, invalidFields } from '../../../../shared/messages/refusal.ts'

export class RefusedQuery {
  readonly values: Record<string, string[]>
  readonly errors: FieldErrors
  #isShown = false

  constructor(values: Record<string, string[]>, errors: FieldErrors) {
    this.values = values
    this.errors = errors
  }

  /** Records the fields of a search form, which shows the errors of these fields. */
  noteShown(names: ReadonlyMap<string, unknown>) {
    this.#isShown ||= Object.keys(this.values).every((name) => names.has(name))
  }

  requireShown() {
    if (!this.#isShown) throw invalidFields(this.errors)
  }
}
