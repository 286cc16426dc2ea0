// What of a page's address breaks a rule: a search is shown with what was typed and what is wrong with it, and does
// without it. Where the page has no field for it, the address is refused as a whole.
import { type FieldErrors, invalid } from '../../../shared/refusal.ts'

export class RefusedQuery {
  readonly values: Record<string, string[]>
  readonly errors: FieldErrors
  #isShown = false

  constructor(values: Record<string, string[]>, errors: FieldErrors) {
    this.values = values
    this.errors = errors
  }

  /** A search form has these fields. */
  noteShown(names: ReadonlyMap<string, unknown>) {
    this.#isShown ||= Object.keys(this.values).every((name) => names.has(name))
  }

  requireShown() {
    if (!this.#isShown) throw invalid(this.errors)
  }
}
