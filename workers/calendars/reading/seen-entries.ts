// What Berth stores of an entry as a provider returned it.
import { createHash } from 'node:crypto'
import type {
  Calendar,
  CalendarEntry,
  EntryPerson,
} from '../../../shared/room-calendars/providers/provider.ts'
import type { SeenEntry, SeenPerson } from '../../../shared/room-calendars/room-calendars.ts'

// Far above what calendar programs write. Berth shortens titles further when it applies them.
const TITLE_CHARACTERS_MAX = 1_000
const ATTENDEES_MAX = 1_000

/**
 * Reduces an entry to what Berth applies. Its digest covers exactly that, so that an answer to an invitation, for example,
 * is not a change. Private entries have neither a title nor people.
 */
export function toSeenEntry(entry: CalendarEntry, calendar: Calendar): SeenEntry {
  const { from, to, isCancelled, isDeclined, isPrivate } = entry
  const isShown = !isPrivate
  const seen = {
    from,
    to,
    // An entry without duration, such as a reminder, takes no time.
    isFree: entry.isFree || Date.parse(to) <= Date.parse(from),
    isCancelled,
    isDeclined,
    isPrivate,
    isGone: false,
    title: isShown ? entry.title.slice(0, TITLE_CHARACTERS_MAX) : '',
    organizer: isShown && entry.organizer ? toSeenPerson(entry.organizer) : null,
    attendees: isShown ? listAttendees(entry) : [],
    isOwn: isOwnEntry(entry, calendar),
  }
  return { ...seen, digest: createDigest(seen) }
}

const toSeenPerson = ({ address, name }: EntryPerson): SeenPerson => ({ address, name })

/** Neither rooms nor the organizer, in an order that does not depend on the provider. */
function listAttendees({ attendees, organizer }: CalendarEntry): SeenPerson[] {
  const people = new Map<string, SeenPerson>()
  for (const each of attendees) {
    const address = each.address.toLowerCase()
    if (!each.isRoom && address !== organizer?.address.toLowerCase()) people.set(address, toSeenPerson(each))
  }
  return [...people]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, ATTENDEES_MAX)
    .map(([, person]) => person)
}

/** Whether the entry was made in this calendar, so that Berth may change it. */
function isOwnEntry({ organizer }: CalendarEntry, { id }: Calendar): boolean {
  if (!organizer) return true
  const address = organizer.address.toLowerCase()
  return address === id.toLowerCase() || address === findAddressInPath(id)
}

/** A CalDAV calendar whose path ends with the address of the room. */
function findAddressInPath(path: string): string | undefined {
  const last = path.split('/').filter(Boolean).at(-1) ?? ''
  try {
    return decodeURIComponent(last).toLowerCase()
  } catch {
    return undefined
  }
}

const createDigest = (seen: Omit<SeenEntry, 'digest'>) =>
  createHash('sha256').update(JSON.stringify(seen)).digest('base64url')

/** The digest of an entry that the provider no longer has. */
export const GONE_DIGEST = 'gone'
/** The digest of an entry that cannot be read. */
export const UNREADABLE_DIGEST = 'unreadable'
