// Converts between the events of Graph and entries.
import { createAllDayTimes, createTimes, type EntryTimes, toInstant, toLocalDate } from './entry-times.ts'
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
import { findZone } from './windows-zones.ts'

type GraphTime = { dateTime: string; timeZone: string }
export type GraphPerson = {
  emailAddress?: { address?: string; name?: string }
  type?: string
  status?: { response?: string }
}

/** The properties of an event that Berth reads. Occurrences in a delta answer lack most of them. */
export type GraphEvent = {
  id: string
  '@odata.etag'?: string
  '@removed'?: { reason: string }
  changeKey?: string
  type?: string
  seriesMasterId?: string | null
  iCalUId?: string
  subject?: string | null
  sensitivity?: string
  showAs?: string
  isCancelled?: boolean
  isAllDay?: boolean
  isOrganizer?: boolean
  responseRequested?: boolean
  responseStatus?: { response?: string }
  originalStartTimeZone?: string
  start?: GraphTime
  end?: GraphTime
  organizer?: GraphPerson | null
  attendees?: GraphPerson[]
  transactionId?: string | null
}

/** The name of the extended property in which an event keeps the key of Berth. The GUID is Berth's own. */
export const OWN_KEY_PROPERTY = 'String {7c1b5e5a-6a0c-4a53-9f0d-2f6b1a2e8d41} Name BerthKey'

// Outlook fills transactionId as well, so a key of Berth is marked.
const TRANSACTION_PREFIX = 'berth:'

const ANSWERS: Record<string, Answer> = {
  organizer: 'accepted',
  accepted: 'accepted',
  tentativelyAccepted: 'tentative',
  declined: 'declined',
}

export function fromGraphEvent(event: GraphEvent, calendar: Calendar): CalendarEntry {
  const own = event.transactionId?.startsWith(TRANSACTION_PREFIX) ? event.transactionId : undefined
  return {
    ...readTimes(event, calendar),
    id: event.id,
    seriesId: event.seriesMasterId ?? null,
    uid: toStoredUid(event.iCalUId ?? event.id),
    version: event['@odata.etag'] ?? `W/"${event.changeKey ?? ''}"`,
    title: event.subject ?? '',
    isPrivate: event.sensitivity !== undefined && event.sensitivity !== 'normal',
    isFree: event.showAs === 'free',
    isCancelled: event.isCancelled === true,
    isDeclined: event.responseStatus?.response === 'declined',
    organizer: event.organizer ? (toPerson(event.organizer) ?? null) : null,
    attendees: (event.attendees ?? []).flatMap((each) => toPerson(each) ?? []),
    key: own?.slice(TRANSACTION_PREFIX.length) ?? null,
  }
}

// All-day events are at midnight in every time zone that is asked for: their dates count, in the zone in which they were
// made.
function readTimes(
  { start, end, isAllDay, originalStartTimeZone }: GraphEvent,
  calendar: Calendar,
): EntryTimes {
  const from = start ?? { dateTime: '1970-01-01T00:00:00', timeZone: 'UTC' }
  const to = end ?? from
  if (!isAllDay)
    return createTimes(
      toInstant(from.dateTime, from.timeZone, 'UTC'),
      toInstant(to.dateTime, to.timeZone, 'UTC'),
    )
  const zone = findAllDayZone(originalStartTimeZone) ?? calendar.zone
  const toDate = ({ dateTime, timeZone }: GraphTime) =>
    dateTime.slice(11, 19) === '00:00:00'
      ? dateTime.slice(0, 10)
      : toLocalDate(toInstant(dateTime, timeZone, 'UTC'), zone)
  return createAllDayTimes(toDate(from), toDate(to), zone)
}

// Programs that create all-day events over the network give UTC as their zone. It says nothing about the place.
function findAllDayZone(name: string | undefined): string | undefined {
  const zone = name === undefined ? undefined : findZone(name)
  return zone === 'UTC' ? undefined : zone
}

function toPerson({ emailAddress, type, status }: GraphPerson): EntryPerson | undefined {
  if (!emailAddress?.address) return undefined
  return {
    address: emailAddress.address,
    name: emailAddress.name || null,
    answer: ANSWERS[status?.response ?? ''] ?? 'none',
    isRoom: type === 'resource',
  }
}

/** With a key, returns the body that creates an event, otherwise the body that changes one. */
export function toGraphEvent(
  content: EntryContent | WrittenChange,
  { key, present }: { key?: string; present?: GraphPerson[] },
): object {
  return {
    subject: content.title,
    ...(content.text !== undefined && { body: { contentType: 'text', content: content.text } }),
    ...toGraphTimes(content),
    sensitivity: content.isPrivate ? 'private' : 'normal',
    showAs: 'busy',
    ...(content.attendees.length > 0 && toGraphAttendees(content.attendees, present)),
    ...(key !== undefined && {
      transactionId: `${TRANSACTION_PREFIX}${key}`,
      singleValueExtendedProperties: [{ id: OWN_KEY_PROPERTY, value: key }],
    }),
  }
}

/** The list of attendees, which keeps the answers of those who are present, and whether they are optional. */
export const toGraphAttendees = (
  attendees: EntryContent['attendees'],
  present: GraphPerson[] = [],
): { attendees: GraphPerson[] } => ({
  attendees: attendees.map(
    ({ address, name, isRoom }) =>
      present.find(({ emailAddress }) => emailAddress?.address?.toLowerCase() === address.toLowerCase()) ?? {
        emailAddress: { address, ...(name && { name }) },
        type: isRoom ? 'resource' : 'required',
      },
  ),
})

export const toGraphTimes = ({ from, to }: Period) => ({
  start: toGraphTime(from),
  end: toGraphTime(to),
  isAllDay: false,
})

// In UTC, so that no clock change can make the time ambiguous. Outlook shows it in the zone of its reader.
const toGraphTime = (instant: string): GraphTime => ({
  dateTime: new Date(instant).toISOString().slice(0, -1),
  timeZone: 'UTC',
})
