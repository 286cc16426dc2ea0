// Converts between the events of Google Calendar and entries.
import { createHash } from 'node:crypto'
import { createAllDayTimes, createTimes, type EntryTimes, toBerthInstant } from './entry-times.ts'
import type {
  Answer,
  Calendar,
  CalendarEntry,
  EntryContent,
  EntryPerson,
  Period,
  WrittenChange,
} from './provider.ts'
import { toStoredUid } from './uids.ts'

type GoogleTime = { dateTime?: string; date?: string; timeZone?: string }
export type GoogleAttendee = {
  email?: string
  displayName?: string
  responseStatus?: string
  resource?: boolean
  self?: boolean
  organizer?: boolean
  comment?: string
}

/** The properties of an event that Berth reads. Of a deleted event, only `id` and `status` are certain. */
export type GoogleEvent = {
  id: string
  status?: string
  etag?: string
  iCalUID?: string
  recurringEventId?: string
  summary?: string
  visibility?: string
  transparency?: string
  start?: GoogleTime
  end?: GoogleTime
  organizer?: { email?: string; displayName?: string; self?: boolean }
  attendees?: GoogleAttendee[]
  extendedProperties?: { private?: Record<string, string> }
}

const KEY_PROPERTY = 'berthKey'
const ANSWERS: Record<string, Answer> = {
  accepted: 'accepted',
  tentative: 'tentative',
  declined: 'declined',
}
const BASE32HEX = '0123456789abcdefghijklmnopqrstuv'

/** The id of the event with a key. Google takes 5 to 1024 of the small letters and digits of base32hex. */
export function createGoogleId(key: string): string {
  let bits = ''
  for (const byte of createHash('sha256').update(`berth ${key}`).digest())
    bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32HEX[Number.parseInt(five, 2)]).join('')
}

/**
 * All-day events get the zone that Berth knows for the calendar. Google names its own zone only in lists, so if Berth used that zone, an
 * event would have other times when it is read alone.
 */
export function fromGoogleEvent(event: GoogleEvent, calendar: Calendar): CalendarEntry {
  const attendees = event.attendees ?? []
  return {
    ...readTimes(event, calendar.zone),
    id: event.id,
    seriesId: event.recurringEventId ?? null,
    uid: toStoredUid(event.iCalUID ?? event.id),
    version: event.etag ?? '',
    title: event.summary ?? '',
    isPrivate: event.visibility === 'private' || event.visibility === 'confidential',
    isFree: event.transparency === 'transparent',
    isCancelled: event.status === 'cancelled',
    isDeclined: findOwnAttendee(event, calendar)?.responseStatus === 'declined',
    organizer: event.organizer
      ? (toPerson({ ...event.organizer, responseStatus: 'accepted' }) ?? null)
      : null,
    attendees: attendees.flatMap((each) => toPerson(each) ?? []),
    key: findKey(event),
  }
}

// A copy that somebody made of an entry has the property, but an id of its own.
function findKey({ id, extendedProperties }: GoogleEvent): string | null {
  const key = extendedProperties?.private?.[KEY_PROPERTY]
  return key !== undefined && id === createGoogleId(key) ? key : null
}

/** The attendee whose calendar this is. */
export function findOwnAttendee({ attendees }: GoogleEvent, { id }: Calendar): GoogleAttendee | undefined {
  return attendees?.find(({ self, email }) => self || email?.toLowerCase() === id.toLowerCase())
}

function readTimes({ start, end }: GoogleEvent, zone: string): EntryTimes {
  if (start?.date) return createAllDayTimes(start.date, end?.date ?? start.date, zone)
  const from = toBerthInstant(start?.dateTime ?? '1970-01-01T00:00:00Z')
  return createTimes(from, end?.dateTime ? toBerthInstant(end.dateTime) : from)
}

function toPerson({ email, displayName, responseStatus, resource }: GoogleAttendee): EntryPerson | undefined {
  if (!email) return undefined
  return {
    address: email,
    name: displayName || null,
    answer: ANSWERS[responseStatus ?? ''] ?? 'none',
    isRoom: resource === true,
  }
}

/** With a key, returns the body that creates an event, otherwise the body that changes one. */
export function toGoogleEvent(
  content: EntryContent | WrittenChange,
  { key, present }: { key?: string; present?: GoogleAttendee[] },
): object {
  return {
    summary: content.title,
    ...(content.text !== undefined && { description: content.text }),
    ...(key === undefined ? toGoogleTimes(content) : toNewTimes(content)),
    visibility: content.isPrivate ? 'private' : 'default',
    transparency: 'opaque',
    ...(content.attendees.length > 0 && toGoogleAttendees(content.attendees, present)),
    ...(key !== undefined && {
      id: createGoogleId(key),
      extendedProperties: { private: { [KEY_PROPERTY]: key } },
    }),
  }
}

/** The list of attendees, which keeps the answers and comments of those who are present. */
export const toGoogleAttendees = (
  attendees: EntryContent['attendees'],
  present: GoogleAttendee[] = [],
): { attendees: GoogleAttendee[] } => ({
  attendees: attendees.map(
    ({ address, name, isRoom }) =>
      present.find(({ email }) => email?.toLowerCase() === address.toLowerCase()) ?? {
        email: address,
        ...(name && { displayName: name }),
        ...(isRoom && { resource: true }),
      },
  ),
})

const toNewTimes = ({ from, to }: Period) => ({
  start: { dateTime: new Date(from).toISOString() },
  end: { dateTime: new Date(to).toISOString() },
})

/** The times of an event that is changed. A change merges objects, so it takes away the date of an all-day event. */
export function toGoogleTimes(period: Period) {
  const { start, end } = toNewTimes(period)
  return { start: { ...start, date: null }, end: { ...end, date: null } }
}
