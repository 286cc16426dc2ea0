// The text of a mail about bookings, in the person's language, and its calendar part.
import { roleOfActor } from '../../../shared/audit/actors.ts'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import { counted, type Message, message } from '../../../shared/messages/message.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { writeInvitations } from '../../../shared/tokens/calendar-file.ts'
import type { SaidBooking } from './booking-mails.ts'
import type { LostRoom } from './lost-rooms.ts'
import { findPlaceReason } from './place-reasons.ts'
import { describePlaced, formatDay, formatSpan, type Reader, writeText } from './words.ts'
import { describeLost, linksToMeetings, nameLost } from './write-lost-rooms.ts'

/** What it needs of a mail. */
type About = {
  bookings: SaidBooking[]
  /** The lost rooms of meetings that the person organizes. */
  lostRooms: LostRoom[]
  email: string
  actor: string | null
  database: string
}

const LISTED_MAX = 60

export function writeBookingMail(
  { bookings, lostRooms, email, actor, database }: About,
  reader: Reader,
  from: MailSettings['from'],
) {
  const { language } = reader
  const paragraphs = [
    ...describeBookings(bookings, actor, language),
    ...describeLost(lostRooms, actor, language),
  ]
  const links = [...linksToMeetings(lostRooms), [message`Your bookings:`, '/my'] as const]
  const organizer = /<([^<>]+)>$/.exec(from)?.[1] ?? from
  const entries = bookings.map(({ entry }) => entry)
  return {
    subject: bookings.length > 0 ? nameBookings(bookings, language) : nameLost(lostRooms, language),
    text: writeText(paragraphs, links, reader),
    calendars: writeInvitations(entries, { organizer, attendee: email, database, language }),
  }
}

function describeBookings(bookings: SaidBooking[], actor: string | null, language: Language): string[] {
  const [first, ...more] = bookings
  if (!first) return []
  return more.length > 0 ? describeSeveral(bookings, actor, language) : describeOne(first, actor, language)
}

function nameBookings([first, ...more]: SaidBooking[], language: Language): string {
  if (!first) return ''
  return writeIn(
    language,
    more.length > 0 ? nameSeveral([first, ...more], language) : nameOne(first, language),
  )
}

function nameOne({ state, name, from, zone, isMeeting }: SaidBooking, language: Language): Message {
  const day = formatDay(from, zone, language)
  if (state === 'cancelled' && isMeeting) return message`Now a meeting: ${name} on ${day}`
  if (state === 'moved') return message`Moved: ${name} on ${day}`
  if (state === 'retimed') return message`New time: ${name} on ${day}`
  if (state === 'cancelled') return message`Cancelled: ${name} on ${day}`
  return message`${name} on ${day}`
}

function nameSeveral(bookings: SaidBooking[], language: Language): Message {
  const number = bookings.length
  const [first, last] = [bookings[0], bookings.at(-1)].map((each) =>
    each ? formatDay(each.from, each.zone, language) : '',
  )
  const cancelled = bookings.filter(({ state }) => state === 'cancelled').length
  if (cancelled === number)
    return first === last
      ? counted(number, '# booking cancelled: {0}', '# bookings cancelled: {0}', first ?? '')
      : counted(
          number,
          '# booking cancelled: {0} to {1}',
          '# bookings cancelled: {0} to {1}',
          first ?? '',
          last ?? '',
        )
  if (cancelled > 0)
    return counted(
      number,
      '# booking changed, {0} cancelled',
      '# bookings changed, {0} cancelled',
      String(cancelled),
    )
  if (first === last) return counted(number, '# booking on {0}', '# bookings on {0}', first ?? '')
  return counted(number, '# booking from {0} to {1}', '# bookings from {0} to {1}', first ?? '', last ?? '')
}

function describeOne(booking: SaidBooking, actor: string | null, language: Language): string[] {
  const say = (told: Message) => writeIn(language, told)
  const { before, checkIn, zone, state } = booking
  const reason = findReason(booking)
  const isOther = before && (state === 'moved' || state === 'retimed')
  return [
    say(explain(booking, actor)),
    ...(reason ? [say(reason)] : []),
    describePlaced(booking, language).join('\n'),
    ...(isOther ? [say(message`Before: ${before.name ?? ''}, ${formatSpan(before, zone, language)}`)] : []),
    ...(checkIn && state !== 'cancelled'
      ? [say(message`Check in: ${formatSpan(checkIn, zone, language)}. Otherwise others can book it.`)]
      : []),
  ]
}

function describeSeveral(bookings: SaidBooking[], actor: string | null, language: Language): string[] {
  const say = (told: Message) => writeIn(language, told)
  const reasons = bookings.map((each) => {
    const reason = findReason(each)
    return reason ? say(reason) : ''
  })
  const [common = ''] = new Set(reasons).size === 1 ? reasons : []
  const line = (booking: SaidBooking, index: number) =>
    [
      `${say(STATES[booking.state])}: ${describePlaced(booking, language).join(', ')}`,
      ...(common === '' && reasons[index] ? [reasons[index]] : []),
    ].join('. ')
  const explanation = explainSeveral(bookings, actor)
  const rest = bookings.length - LISTED_MAX
  return [
    ...(explanation ? [say(explanation)] : []),
    ...(common === '' ? [] : [common]),
    bookings.slice(0, LISTED_MAX).map(line).join('\n'),
    ...(rest > 0 ? [say(counted(rest, 'And # more.', 'And # more.'))] : []),
  ]
}

/** Why a booking is cancelled, if the place is the reason. */
const findReason = (booking: SaidBooking): Message | undefined =>
  booking.state === 'cancelled' ? findPlaceReason(booking) : undefined

const STATES = {
  new: message`Booked`,
  moved: message`Moved`,
  retimed: message`New time`,
  cancelled: message`Cancelled`,
}

type Kind = SaidBooking['state'] | 'no-show' | 'meeting' | 'approved'

function kindOf({ state, isNoShow, isApproved, isMeeting }: SaidBooking): Kind {
  if (state === 'cancelled' && isNoShow) return 'no-show'
  if (state === 'cancelled' && isMeeting) return 'meeting'
  return state === 'new' && isApproved ? 'approved' : state
}

function explain(booking: SaidBooking, actor: string | null): Message {
  const kind = kindOf(booking)
  if (kind === 'no-show') return message`Nobody checked in, so others can book your place now.`
  if (kind === 'meeting')
    return message`Your booking is now a meeting in the same place. My day and subscribed calendars show it.`
  if (kind === 'approved') return message`Your request is approved.`
  if (actor === 'self') return OWN[kind]
  const who = roleOfActor(actor)
  if (kind === 'new') return message`${who} has booked a place for you.`
  if (kind === 'moved') return message`${who} has moved your booking.`
  if (kind === 'retimed') return message`${who} has changed the time of your booking.`
  return message`${who} has cancelled your booking.`
}

/** Undefined unless the same happened to all bookings. One write makes at most one meeting, and approves one request. */
function explainSeveral(bookings: SaidBooking[], actor: string | null): Message | undefined {
  const [kind, ...others] = new Set(bookings.map(kindOf))
  if (!kind || others.length > 0 || kind === 'meeting' || kind === 'approved') return undefined
  if (kind === 'no-show') return message`Nobody checked in, so others can book your places now.`
  if (actor === 'self') return OWN_SEVERAL[kind]
  const who = roleOfActor(actor)
  if (kind === 'new') return message`${who} has made these bookings for you.`
  if (kind === 'moved') return message`${who} has moved your bookings.`
  if (kind === 'retimed') return message`${who} has changed the times of your bookings.`
  return message`${who} has cancelled your bookings.`
}

const OWN = {
  new: message`Your booking is confirmed.`,
  moved: message`You have moved your booking.`,
  retimed: message`You have changed the time of your booking.`,
  cancelled: message`You have cancelled your booking.`,
}

const OWN_SEVERAL = {
  new: message`Your bookings are confirmed.`,
  moved: message`You have moved your bookings.`,
  retimed: message`You have changed the times of your bookings.`,
  cancelled: message`You have cancelled your bookings.`,
}
