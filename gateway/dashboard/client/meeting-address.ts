// The planned meeting in the page's address: when, who, and which rooms. Each change is shown at once, and
// the form is sent to the same address.
import { withQuery } from './dom.ts'

export type MeetingAddress = ReturnType<typeof createAddress>

export function createAddress(part: HTMLElement, form: HTMLFormElement) {
  const partAddress = (name: string, more: Record<string, string> = {}) =>
    withQuery(location.href, { ...more, _part: name })

  /** For values that the page already shows. An empty value removes the parameter. */
  function remember(values: Record<string, string>) {
    // Ends a search that began without scripts.
    const address = withQuery(location.href, { ...values, person: '', visitor: '' })
    history.replaceState(history.state, '', address)
    form.action = address
    part.dataset.refresh = partAddress('meeting')
  }

  function change(values: Record<string, string>) {
    remember(values)
    part.dispatchEvent(new Event('refresh'))
  }

  /** Adds one mark, removes one, or both. */
  function choose({ add, drop }: { add?: string; drop?: string }, more: Record<string, string> = {}) {
    const read = (name: string) =>
      new Set(new URLSearchParams(location.search).get(name)?.split(',').filter(Boolean))
    const [added, dropped] = [read('add'), read('drop')]
    // As on the server: for what the event already contains, only the removal is stored.
    if (drop && !added.delete(drop)) dropped.add(drop)
    if (add && !dropped.delete(add)) added.add(add)
    change({ ...more, add: [...added].join(), drop: [...dropped].join() })
  }

  return { partAddress, remember, change, choose }
}
