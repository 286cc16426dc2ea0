// Writes the text of a mail about a meeting, in the reader's language, and its calendar part.
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import {
  countedMessage,
  joinMessages,
  listNames,
  type Message,
  type MessageValue,
  message,
} from '../../../shared/messages/message.ts'
import type { CalendarPart } from '../../../shared/tokens/calendar-file.ts'
import type { MeetingInMail, MeetingPerson } from './invitations.ts'
import type { LostRoom } from './lost-rooms.ts'
import { formatDay, formatSpan, type MailReader, writeText } from './words.ts'
import { createMeetingLinks, describeLostRooms, formatLostRoomsSubject } from './write-lost-rooms.ts'
import { getEntryOrganizer, getShownMeeting, isReaderOrganizer, writeEntry } from './write-meeting-entry.ts'

type MeetingMail = { subject: string; text: string; replyTo?: string; calendars: CalendarPart[] }

/** The data of a due mail from which its text and its calendar part are written. */
type MeetingMailContent = {
  meeting: MeetingInMail
  /** The rooms that the meeting has lost. Filled only in mails to the organizer. */
  lostRooms: LostRoom[]
  actor: string | null
  database: string
}

export function writeMeetingMail(
  { meeting, lostRooms, actor, database }: MeetingMailContent,
  reader: MailReader,
  senders: { from: string; answers: string | undefined },
): MeetingMail {
  const { language } = reader
  const say = (text: Message) => writeInLanguage(language, text)
  const hasLostRooms = meeting.state !== 'cancelled' && lostRooms.length > 0
  const paragraphs = hasLostRooms
    ? describeLostRooms(lostRooms, actor, language)
    : [
        say(explainMeeting(meeting)),
        describeMeeting(meeting, language),
        ...listDates(meeting, language),
        ...(meeting.state === 'changed' ? listChanges(meeting, language).map(say) : []),
        ...(meeting.state !== 'cancelled' && meeting.now.description !== '' ? [meeting.now.description] : []),
      ]
  return {
    subject: hasLostRooms
      ? formatLostRoomsSubject(lostRooms, language)
      : say(formatMeetingsSubject(meeting, language)),
    text: writeText(
      paragraphs,
      hasLostRooms ? createMeetingLinks(lostRooms) : createLinks(meeting),
      reader,
      meeting.isGuest,
    ),
    ...(isReaderOrganizer(meeting) ? {} : { replyTo: getEntryOrganizer(meeting).email }),
    calendars: [writeEntry(meeting, { database, language, senders })],
  }
}

function formatMeetingSubject(meeting: MeetingInMail, language: Language): Message {
  const { state, before, now, reader } = meeting
  const { name, from, zone } = getShownMeeting(meeting)
  const day = formatDay(from, zone, language)
  if (state === 'cancelled') return message`Cancelled: ${name} on ${day}`
  if (state === 'new')
    return reader.isOrganizer ? message`${name} on ${day}` : message`Invitation: ${name} on ${day}`
  const isMoved = before && (before.from !== now.from || before.to !== now.to)
  return isMoved ? message`New time: ${name} on ${day}` : message`Changed: ${name} on ${day}`
}

function formatMeetingsSubject(meeting: MeetingInMail, language: Language): Message {
  const name = formatMeetingSubject(meeting, language)
  const { length } = meeting.others
  return length === 0
    ? name
    : joinMessages([name, countedMessage(length, 'and # more date', 'and # more dates')])
}

const DATES_MAX = 12

/** Lists the other dates of a series. If the mail announces the first date, lists cancelled dates separately. */
function listDates(meeting: MeetingInMail, language: Language): string[] {
  const isGone = ({ state }: MeetingInMail) => state === 'cancelled' && meeting.state !== 'cancelled'
  const list = (meetings: MeetingInMail[], word: (dates: MessageValue) => Message) => {
    const days = meetings.map((each) =>
      formatDay(getShownMeeting(each).from, getShownMeeting(each).zone, language),
    )
    return meetings.length > 0 ? [writeInLanguage(language, word(listNames(days, DATES_MAX)))] : []
  }
  return [
    ...list(
      meeting.others.filter((each) => !isGone(each)),
      (dates) => message`Also on these dates: ${dates}`,
    ),
    ...list(meeting.others.filter(isGone), (dates) => message`Cancelled on these dates: ${dates}`),
  ]
}

function explainMeeting(meeting: MeetingInMail): Message {
  const { state, isMeetingCancelled, reader } = meeting
  const { name } = getEntryOrganizer(meeting)
  if (reader.isOrganizer) return OWN_MEETING_TEXTS[state]
  if (state === 'new') return message`${name} invites you to a meeting.`
  if (state === 'changed') return message`${name}’s meeting has changed.`
  return isMeetingCancelled
    ? message`${name}’s meeting is cancelled.`
    : message`You are no longer invited to this meeting.`
}

const OWN_MEETING_TEXTS = {
  new: message`Your meeting is booked.`,
  changed: message`Your meeting has changed.`,
  cancelled: message`Your meeting is cancelled.`,
}

function describeMeeting(meeting: MeetingInMail, language: Language): string {
  const shown = getShownMeeting(meeting)
  const { name, from, to, zone, place } = shown
  const say = (text: Message) => writeInLanguage(language, text)
  const rooms = shown.rooms.join(', ')
  const isInvited = meeting.state !== 'cancelled'
  return [
    name,
    `${formatSpan({ from, to }, zone, language)} (${zone})`,
    ...(rooms === '' ? [say(message`No room`)] : [place === null ? rooms : `${rooms}, ${place}`]),
    ...(meeting.isGuest ? [say(message`Your host: ${shown.organizer}`)] : []),
    ...(isInvited ? [say(message`Invited: ${listPeople(meeting, language)}`)] : []),
  ].join('\n')
}

const NAMED_PEOPLE_MAX = 10

function listPeople({ people, number }: MeetingInMail, language: Language): string {
  const named = people.slice(0, NAMED_PEOPLE_MAX).map((each) => getPersonName(each))
  const others = number - named.length
  const more = writeInLanguage(language, countedMessage(others, '# more person', '# more people'))
  return [...named, ...(others > 0 ? [more] : [])].join(', ')
}

const getPersonName = ({ name }: MeetingPerson) => name

function listChanges({ before, now }: MeetingInMail, language: Language): Message[] {
  if (!before) return []
  const span = formatSpan(before, before.zone, language)
  const rooms = before.rooms.join(', ')
  const changes: Array<false | Message> = [
    before.name !== now.name && message`Previous title: ${before.name}`,
    (before.from !== now.from || before.to !== now.to) && message`Previous time: ${span}`,
    rooms !== now.rooms.join(', ') &&
      (rooms === '' ? message`The meeting had no room before.` : message`Previous room: ${rooms}`),
    before.organizer !== now.organizer && message`Previous organizer: ${before.organizer}`,
  ]
  return changes.filter((each) => each !== false)
}

type MeetingLinks = Array<readonly [Message, string]>

function createLinks({ eventId, secret, isGuest, state, others }: MeetingInMail): MeetingLinks {
  // If the mail names several dates, the answer counts for all of them.
  const path = `/my/answer?token=${secret}${others.length > 0 ? '&all=true' : ''}&answer=`
  const answers: MeetingLinks =
    secret === undefined
      ? []
      : [
          [message`Yes, I will come:`, `${path}yes`],
          [message`Maybe:`, `${path}maybe`],
          [message`No, I will not come:`, `${path}no`],
        ]
  const page: MeetingLinks =
    isGuest || state === 'cancelled' ? [] : [[message`The meeting:`, `/my/meetings/${eventId}`]]
  return [...answers, ...page]
}
