// Writes the text and the calendar part of a mail about bookings, in the person's language.
import { getActorRole } from '../../../shared/audit/actors.ts'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import { countedMessage, type Message, message } from '../../../shared/messages/message.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { writeInvitations } from '../../../shared/tokens/calendar-file.ts'
import type { BookingInMail } from './booking-mails.ts'
import type { LostRoom } from './lost-rooms.ts'
import { findPlaceReason } from './place-reasons.ts'
import {
  describeBookedPlace,
  extractAddress,
  formatDay,
  formatSpan,
  type MailReader,
  writeText,
} from './words.ts'
import { createMeetingLinks, describeLostRooms, formatLostRoomsSubject } from './write-lost-rooms.ts'

/** The part of a due mail from which the text is written. */
type BookingMailContent = {
  bookings: BookingInMail[]
  /** The rooms that meetings of the person have lost. */
  lostRooms: LostRoom[]
  email: string
  actor: string | null
  database: string
}

const LISTED_BOOKINGS_MAX = 60

export function writeBookingMail(
  { bookings, lostRooms, email, actor, database }: BookingMailContent,
  reader: MailReader,
  from: MailSettings['from'],
) {
  const { language } = reader
  const paragraphs = [
    ...describeBookings(bookings, actor, language),
    ...describeLostRooms(lostRooms, actor, language),
  ]
  const [first] = bookings
  const own: [Message, string] =
    first?.bookedBy != null && bookings.length === 1
      ? [message`Change or cancel it:`, `/my/bookings/${first.id}`]
      : [message`Your bookings:`, '/my']
  const links = [...createMeetingLinks(lostRooms), own]
  const organizer = { name: null, email: extractAddress(from) }
  // The recipient made the booking themselves, so the calendar entry does not ask for an answer.
  const attendees = [{ name: null, email, status: 'ACCEPTED', isAsked: false } as const]
  const entries = bookings.map(({ entry }) => entry)
  return {
    subject:
      bookings.length > 0
        ? formatBookingsSubject(bookings, language)
        : formatLostRoomsSubject(lostRooms, language),
    text: writeText(paragraphs, links, reader),
    calendars: writeInvitations(entries, { organizer, attendees, database, language }),
  }
}

function describeBookings(bookings: BookingInMail[], actor: string | null, language: Language): string[] {
  const [first, ...more] = bookings
  if (!first) return []
  return more.length > 0
    ? describeSeveralBookings(bookings, actor, language)
    : describeBooking(first, actor, language)
}

export function formatBookingsSubject([first, ...more]: BookingInMail[], language: Language): string {
  if (!first) return ''
  return writeInLanguage(
    language,
    more.length > 0
      ? formatSeveralSubject([first, ...more], language)
      : formatBookingSubject(first, language),
  )
}

function formatBookingSubject(
  { state, name, from, zone, isMeeting }: BookingInMail,
  language: Language,
): Message {
  const day = formatDay(from, zone, language)
  if (state === 'cancelled' && isMeeting) return message`Now a meeting: ${name} on ${day}`
  if (state === 'moved') return message`Moved: ${name} on ${day}`
  if (state === 'retimed') return message`New time: ${name} on ${day}`
  if (state === 'cancelled') return message`Cancelled: ${name} on ${day}`
  return message`${name} on ${day}`
}

function formatSeveralSubject(bookings: BookingInMail[], language: Language): Message {
  const number = bookings.length
  const [first, last] = [bookings[0], bookings.at(-1)].map((each) =>
    each ? formatDay(each.from, each.zone, language) : '',
  )
  const cancelled = bookings.filter(({ state }) => state === 'cancelled').length
  if (cancelled === number)
    return first === last
      ? countedMessage(number, '# booking cancelled: {0}', '# bookings cancelled: {0}', first ?? '')
      : countedMessage(
          number,
          '# booking cancelled: {0} to {1}',
          '# bookings cancelled: {0} to {1}',
          first ?? '',
          last ?? '',
        )
  if (cancelled > 0)
    return countedMessage(
      number,
      '# booking changed, {0} cancelled',
      '# bookings changed, {0} cancelled',
      String(cancelled),
    )
  if (first === last) return countedMessage(number, '# booking on {0}', '# bookings on {0}', first ?? '')
  return countedMessage(
    number,
    '# booking from {0} to {1}',
    '# bookings from {0} to {1}',
    first ?? '',
    last ?? '',
  )
}

function describeBooking(booking: BookingInMail, actor: string | null, language: Language): string[] {
  const say = (text: Message) => writeInLanguage(language, text)
  const { before, checkIn, zone, state } = booking
  const reason = findReason(booking)
  const isOther = before && (state === 'moved' || state === 'retimed')
  return [
    say(explainBooking(booking, actor, language)),
    ...(reason ? [say(reason)] : []),
    describeBookedPlace(booking, language).join('\n'),
    ...(isOther ? [say(message`Before: ${before.name ?? ''}, ${formatSpan(before, zone, language)}`)] : []),
    ...(checkIn && state !== 'cancelled'
      ? [
          say(
            message`Check-in: ${formatSpan(checkIn, zone, language)}. If nobody checks in, others can book the place.`,
          ),
        ]
      : []),
  ]
}

function describeSeveralBookings(
  bookings: BookingInMail[],
  actor: string | null,
  language: Language,
): string[] {
  const say = (text: Message) => writeInLanguage(language, text)
  const reasons = bookings.map((each) => {
    const reason = findReason(each)
    return reason ? say(reason) : ''
  })
  const [common = ''] = new Set(reasons).size === 1 ? reasons : []
  const line = (booking: BookingInMail, index: number) =>
    [
      `${say(STATE_LABELS[booking.state])}: ${describeBookedPlace(booking, language).join(', ')}`,
      ...(common === '' && reasons[index] ? [reasons[index]] : []),
    ].join('. ')
  const explanation = explainSeveralBookings(bookings, actor)
  const rest = bookings.length - LISTED_BOOKINGS_MAX
  return [
    ...(explanation ? [say(explanation)] : []),
    ...(common === '' ? [] : [common]),
    bookings.slice(0, LISTED_BOOKINGS_MAX).map(line).join('\n'),
    ...(rest > 0 ? [say(countedMessage(rest, 'And # more.', 'And # more.'))] : []),
  ]
}

/** Returns why a booking was cancelled, if the reason has to do with the place. */
const findReason = (booking: BookingInMail): Message | undefined =>
  booking.state === 'cancelled' ? findPlaceReason(booking) : undefined

const STATE_LABELS = {
  new: message`Booked`,
  moved: message`Moved`,
  retimed: message`New time`,
  cancelled: message`Cancelled`,
}

type BookingKind = BookingInMail['state'] | 'no-show' | 'meeting' | 'approved'

function getBookingKind({ state, isNoShow, isApproved, isMeeting }: BookingInMail): BookingKind {
  if (state === 'cancelled' && isNoShow) return 'no-show'
  if (state === 'cancelled' && isMeeting) return 'meeting'
  return state === 'new' && isApproved ? 'approved' : state
}

function explainBooking(booking: BookingInMail, actor: string | null, language: Language): Message {
  const kind = getBookingKind(booking)
  if (kind === 'no-show') return message`Nobody checked in, so others can book your place now.`
  if (kind === 'meeting')
    return message`Your booking is now a meeting in the same place. My day and subscribed calendars show it.`
  if (kind === 'approved') return message`Your request is approved.`
  if (actor === 'self') return OWN_BOOKING_TEXTS[kind]
  const { name, from, zone, bookedBy } = booking
  if (kind === 'new' && bookedBy !== null)
    return message`${bookedBy} has booked ${name} for you on ${formatDay(from, zone, language)}.`
  const who = getActorRole(actor)
  if (kind === 'new') return message`${who} has booked a place for you.`
  if (kind === 'moved') return message`${who} has moved your booking.`
  if (kind === 'retimed') return message`${who} has changed the time of your booking.`
  return message`${who} has cancelled your booking.`
}

/**
 * Explains what happened to several bookings. Returns undefined if different things happened to them. One write creates
 * at most one meeting and approves at most one request.
 */
function explainSeveralBookings(bookings: BookingInMail[], actor: string | null): Message | undefined {
  const [kind, ...others] = new Set(bookings.map(getBookingKind))
  if (!kind || others.length > 0 || kind === 'meeting' || kind === 'approved') return undefined
  if (kind === 'no-show') return message`Nobody checked in, so others can book your places now.`
  if (actor === 'self') return OWN_BOOKINGS_TEXTS[kind]
  const who = getActorRole(actor)
  if (kind === 'new') return message`${who} has made these bookings for you.`
  if (kind === 'moved') return message`${who} has moved your bookings.`
  if (kind === 'retimed') return message`${who} has changed the times of your bookings.`
  return message`${who} has cancelled your bookings.`
}

const OWN_BOOKING_TEXTS = {
  new: message`Your booking is confirmed.`,
  moved: message`You have moved your booking.`,
  retimed: message`You have changed the time of your booking.`,
  cancelled: message`You have cancelled your booking.`,
}

const OWN_BOOKINGS_TEXTS = {
  new: message`Your bookings are confirmed.`,
  moved: message`You have moved your bookings.`,
  retimed: message`You have changed the times of your bookings.`,
  cancelled: message`You have cancelled your bookings.`,
}
