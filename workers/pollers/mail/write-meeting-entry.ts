// Writes the calendar part of a mail about a meeting, or about meetings of a series. The part shows only what the
// reader may see.
import { ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import {
  type CalendarPart,
  type CalendarPerson,
  writeMeetingPart,
} from '../../../shared/tokens/calendar-file.ts'
import type { CalendarEntry } from '../../../shared/tokens/calendars-shape.ts'
import { isInSeries, writeSeriesPart } from '../../../shared/tokens/series-entries.ts'
import type { MailedMeeting, MeetingInMail } from './invitations.ts'
import { extractAddress } from './words.ts'

/**
 * Returns the organizer that the entry names. A cancellation names the organizer of the last mail, because it removes
 * that entry, and because somebody who is no longer invited must not learn who the new organizer is.
 */
export function getEntryOrganizer({ state, before, organizer }: MeetingInMail): {
  name: string
  email: string
} {
  if (state !== 'cancelled' || !before) return organizer
  return { name: before.organizer, email: before.organizerEmail || organizer.email }
}

/** Returns whether the entry names the reader as the organizer. */
export const isReaderOrganizer = (meeting: MeetingInMail): boolean =>
  meeting.reader.email.toLowerCase() === getEntryOrganizer(meeting).email.toLowerCase()

/**
 * Returns what the mail shows: for a cancelled meeting, its state in the last mail; for any other, its current state.
 */
export const getShownMeeting = ({ state, now, before }: MeetingInMail): MailedMeeting =>
  state === 'cancelled' ? (before ?? now) : now

const createCancelledEntry = (
  entry: CalendarEntry,
  { name, from, to, rooms, place, occursAt = entry.occurs_at ?? from }: MailedMeeting,
) => ({
  name,
  from,
  to,
  place,
  bookables: rooms,
  description: '',
  classification: null,
  occurs_at: entry.series === null ? null : occursAt,
})

const PARTICIPATION_STATUSES: Record<number, CalendarPerson['status']> = {
  [ATTENDEE_STATUSES.noAnswer]: 'NEEDS-ACTION',
  [ATTENDEE_STATUSES.accepted]: 'ACCEPTED',
  [ATTENDEE_STATUSES.tentative]: 'TENTATIVE',
  [ATTENDEE_STATUSES.declined]: 'DECLINED',
}

type Senders = { from: string; answers: string | undefined }

type EntryScope = { database: string; language: Language; senders: Senders }

/**
 * Writes the calendar part of a mail. If only one date of a series changes or is cancelled, and the last mail had this
 * date, the part contains only this date. Otherwise, the part contains all dates that the reader attends now, because
 * calendar programs read only the first of several cancellations.
 */
export function writeEntry(meeting: MeetingInMail, scope: EntryScope): CalendarPart {
  const inScope = (each: MeetingInMail) => toEntry(each, scope)
  const own = inScope(meeting)
  if (!isInSeries(own.entry)) return writeMeetingPart(own.entry, own.scope)
  const isAlone = meeting.others.length === 0
  const isKnown = meeting.state === 'cancelled' || meeting.before?.occursAt === meeting.now.occursAt
  const isOneDate =
    isAlone &&
    isKnown &&
    meeting.state !== 'new' &&
    meeting.dates.length > (meeting.state === 'cancelled' ? 0 : 1)
  const dates = isOneDate || meeting.dates.length === 0 ? [meeting] : meeting.dates
  const entries = dates
    .map(inScope)
    .flatMap(({ entry, scope: { organizer, attendees, ...others } }) =>
      isInSeries(entry)
        ? [{ entry, scope: { ...others, isOfUser: true, invitation: { organizer, attendees } } }]
        : [],
    )
  return writeSeriesPart(entries, meeting.sequence, isOneDate)
}

function toEntry(meeting: MeetingInMail, { database, language, senders: { from, answers } }: EntryScope) {
  const { entry, sequence, reader, people, state } = meeting
  const organizer = getEntryOrganizer(meeting)
  const isCancelled = state === 'cancelled'
  const shown = getShownMeeting(meeting)
  // Calendar programs send answers to this address. An invitation to the organizer needs another address, because
  // calendar programs ignore invitations that people send to themselves.
  const address = isReaderOrganizer(meeting) ? extractAddress(from) : (answers ?? organizer.email)
  const listed = isCancelled ? [reader] : people
  return {
    entry: {
      ...entry,
      cancelled: isCancelled,
      sequence,
      // A cancellation shows nothing that has changed since the last mail.
      ...(isCancelled ? { ...createCancelledEntry(entry, shown), organizer: organizer.name } : {}),
    },
    scope: {
      organizer: { name: organizer.name, email: address },
      attendees: listed.map(({ name, email, status, isReader }) => ({
        name: name === email ? null : name,
        email,
        status: PARTICIPATION_STATUSES[status] ?? 'NEEDS-ACTION',
        isAsked: isReader && !reader.isOrganizer && !isCancelled,
      })),
      database,
      language,
    },
  }
}
