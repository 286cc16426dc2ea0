// The planned meeting in the page's address: when, who, and which rooms. Each change is shown at once, and
// the form is sent to the same address.
import { withQuery } from './dom.ts'

export class MeetingAddress {
  readonly #part: HTMLElement
  readonly #form: HTMLFormElement

  constructor(part: HTMLElement, form: HTMLFormElement) {
    this.#part = part
    this.#form = form
  }

  /** Adds one mark, removes one, or both. */
  choose({ add, drop }: { add?: string; drop?: string }, more: Record<string, string> = {}) {
    const read = (name: string) =>
      new Set(new URLSearchParams(location.search).get(name)?.split(',').filter(Boolean))
    const [added, dropped] = [read('add'), read('drop')]
    // As on the server: for what the event already contains, only the removal is stored.
    if (drop && !added.delete(drop)) dropped.add(drop)
    if (add && !dropped.delete(add)) added.add(add)
    this.change({ ...more, add: [...added].join(), drop: [...dropped].join() })
  }

  /** An empty value removes the parameter. */
  change(values: Record<string, string>) {
    this.remember(values)
    this.#part.dispatchEvent(new Event('refresh'))
  }

  /** The same, for values that the page already shows. */
  remember(values: Record<string, string>) {
    // Ends a search that began without scripts.
    const address = withQuery(location.href, { ...values, person: '', visitor: '' })
    history.replaceState(history.state, '', address)
    this.#form.action = address
    this.#part.dataset.refresh = this.partAddress('meeting')
  }

  partAddress(name: string, more: Record<string, string> = {}): string {
    return withQuery(location.href, { ...more, _part: name })
  }
}
