// The invalid parameters in a page's address. A search ignores them and shows what was typed and what is
// wrong. If the page has no field for one of them, the whole address is refused.
import { type FieldErrors, invalid } from '../../../../shared/messages/refusal.ts'

export class RefusedQuery {
  readonly values: Record<string, string[]>
  readonly errors: FieldErrors
  #isShown = false

  constructor(values: Record<string, string[]>, errors: FieldErrors) {
    this.values = values
    this.errors = errors
  }

  /** Records the fields of a search form that shows errors. */
  noteShown(names: ReadonlyMap<string, unknown>) {
    this.#isShown ||= Object.keys(this.values).every((name) => names.has(name))
  }

  requireShown() {
    if (!this.#isShown) throw invalid(this.errors)
  }
}
