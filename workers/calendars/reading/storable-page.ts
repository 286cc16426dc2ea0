// Replaces what Postgres cannot store on a page of changes, so that one entry never holds up the others.
import { createHash } from 'node:crypto'
import { isStorable } from '../../../shared/room-calendars/providers/entry-times.ts'
import type { CalendarEntry, ChangePage } from '../../../shared/room-calendars/providers/provider.ts'

// An index of Postgres takes no text of more than 2,704 bytes. The path of a CalDAV object is the only id that may be as long.
const ID_BYTES_MAX = 2_000

/** Returns the page with short ids, on which entries that cannot be stored are ones that cannot be read. */
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

// Nobody asks for an entry with this id, because Berth asks only for entries that it has read once.
const shorten = (id: string) => (isLong(id) ? `long-${createHash('sha256').update(id).digest('hex')}` : id)
