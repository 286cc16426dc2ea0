// Replaces the parts of a page of changes that Postgres cannot store, so that one entry never holds up the others.
import { createHash } from 'node:crypto'
import { isStorable } from '../../../shared/room-calendars/providers/entry-times.ts'
import type { CalendarEntry, ChangePage } from '../../../shared/room-calendars/providers/provider.ts'

// An index of Postgres accepts at most 2,704 bytes. Only the path of a CalDAV object may be a longer id.
const ID_BYTES_MAX = 2_000

/** Returns the page with shortened ids. Entries that cannot be stored count as unreadable. */
export function toStorablePage(page: ChangePage): ChangePage {
  const changed: CalendarEntry[] = []
  const unreadable = page.unreadable.map(({ id, reason }) => ({ id: shorten(id), reason }))
  const removed = page.removed.map(shorten)
  for (const entry of page.changed) {
    const reason = explainUnstorable(entry)
    if (reason === undefined) changed.push(entry)
    else unreadable.push({ id: shorten(entry.id), reason })
  }
  return { ...page, changed, removed, unreadable }
}

function explainUnstorable(entry: CalendarEntry): string | undefined {
  if (isLong(entry.id) || isLong(entry.seriesId ?? '')) return 'The id of the entry is too long.'
  return isStorable(entry) ? undefined : 'The entry is not within the years 1 to 9999.'
}

const isLong = (id: string) => Buffer.byteLength(id) > ID_BYTES_MAX

// Berth never asks a provider for an entry with this id, because it asks only for entries that it could read before.
const shorten = (id: string) => (isLong(id) ? `long-${createHash('sha256').update(id).digest('hex')}` : id)
