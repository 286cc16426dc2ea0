// Follows the changes of a calendar as Berth's engine does: page by page, with a position after each.
import { expect } from 'chai'
import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  type ChangePage,
  type Period,
  ProviderFault,
} from '../../../shared/room-calendars/providers/provider.ts'

const PAGES_MAX = 200

/** The entries of a calendar, as its changes tell them. */
export class Store {
  position: string | null = null
  readonly #entries = new Map<string, CalendarEntry>()

  apply({ changed, removed, position }: ChangePage) {
    for (const gone of removed)
      for (const { id, seriesId } of [...this.#entries.values()])
        if (id === gone || seriesId === gone) this.#entries.delete(id)
    for (const entry of changed) this.#entries.set(entry.id, entry)
    this.position = position
  }

  list = (): CalendarEntry[] =>
    [...this.#entries.values()].sort((one, other) =>
      `${one.from} ${one.id}` < `${other.from} ${other.id}` ? -1 : 1,
    )

  find = (id: string) => this.#entries.get(id)
  require = (id: string) => this.#entries.get(id) ?? expect.fail(`There is no entry ${id}`)
}

/** Reads all pages since the position of a store into it, and returns them. */
export async function followChanges(
  provider: CalendarProvider,
  calendar: Calendar,
  store: Store,
  period: Period,
): Promise<ChangePage[]> {
  const pages: ChangePage[] = []
  for (;;) {
    const page = await provider.listChanges(calendar, store.position, period)
    if ('isExpired' in page) return expect.fail('The position has expired')
    pages.push(page)
    store.apply(page)
    if (!page.hasMore) return pages
    expect(pages.length).to.be.below(PAGES_MAX)
  }
}

export async function readAll(
  provider: CalendarProvider,
  calendar: Calendar,
  period: Period,
): Promise<Store> {
  const store = new Store()
  await followChanges(provider, calendar, store, period)
  return store
}

/** Returns the fault with which some work fails. */
export async function findFault(work: Promise<unknown>): Promise<ProviderFault> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ProviderFault) return error
  return expect.fail(`There is no fault but ${String(error)}`)
}
