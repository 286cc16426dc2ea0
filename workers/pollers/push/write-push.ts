// Writes the text of a notification, in the person's language. Other people can read the screen of a locked phone, so a
// notification names places and times, but no people, purposes or titles of meetings.
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import { countedMessage, type Message, message } from '../../../shared/messages/message.ts'
import { cutText } from '../../../shared/utilities/texts.ts'
import type { BookingInMail } from '../mail/booking-mails.ts'
import type { Offer, RequestInMail } from '../mail/hold-mails.ts'
import type { LostRoom } from '../mail/lost-rooms.ts'
import type { Reminder } from '../mail/reminders.ts'
import { describeBookedPlace, formatDay, formatSpan, formatTime } from '../mail/words.ts'
import { formatBookingsSubject } from '../mail/write-booking-mail.ts'
import { formatOutcome } from '../mail/write-person-mail.ts'

export type PushContent =
  | { bookings: BookingInMail[]; lostRooms: LostRoom[] }
  | { reminder: Reminder }
  | { offer: Offer }
  | { request: RequestInMail }

export type Push = {
  title: string
  body: string
  /** The path of the page that the notification opens, relative to the start page of people's own pages. */
  path: string
  /** Identifies the subject. A later notification with the same tag replaces this one. */
  tag: string
  /** When the notification is out of date. Null if that is unknown. */
  until: string | null
}

const LISTED_MAX = 3
// Push services refuse more than 4,096 bytes, which is 3,993 bytes of JSON (RFC 8291). In a list, a name of 80 characters
// and a place of 120, of at most 4 bytes each, leave room for the times and the title.
const NAME_LENGTH_MAX = 80
const PLACE_LENGTH_MAX = 120

/** Writes a push. `id` is the id of the hold or of the first booking. */
export function writePush(content: PushContent, id: number, language: Language): Push {
  const write = (text: Message) => writeInLanguage(language, text)
  if ('reminder' in content) {
    const reminder = shortenPlace(content.reminder)
    const { name, zone, until } = reminder
    const title = write(message`Check in by ${formatTime(until, zone, language)}: ${name}`)
    return { title, body: describePlace(reminder, language), path: '', tag: `reminder-${id}`, until }
  }
  if ('offer' in content) {
    const offer = shortenPlace(content.offer)
    const { name, zone, until } = offer
    const title = write(message`Available for you until ${formatTime(until, zone, language)}: ${name}`)
    return { title, body: describePlace(offer, language), path: 'waits', tag: `hold-${id}`, until }
  }
  if ('request' in content) return writeRequestPush(shortenPlace(content.request), id, language)
  return content.bookings.length > 0
    ? writeBookingsPush(content.bookings.map(shortenPlace), language)
    : writeLostRoomPush(content.lostRooms.map(shortenPlace), language)
}

const shorten = (text: string, lengthMax: number) => {
  const cut = cutText(text, lengthMax)
  return cut.length < text.length ? `${cut}…` : text
}

const shortenPlace = <Placed extends { name: string; place: string | null }>(placed: Placed): Placed => ({
  ...placed,
  name: shorten(placed.name, NAME_LENGTH_MAX),
  place: placed.place === null ? null : shorten(placed.place, PLACE_LENGTH_MAX),
})

const describePlace = (placed: Parameters<typeof describeBookedPlace>[0], language: Language) =>
  describeBookedPlace({ ...placed, name: '' }, language)
    .filter(Boolean)
    .join(', ')

function writeRequestPush(request: RequestInMail, id: number, language: Language): Push {
  const { state, name, from, to, until, zone, eventId } = request
  const day = formatDay(from, zone, language)
  const isPending = state === 'pending'
  return {
    title: writeInLanguage(
      language,
      isPending ? message`To approve: ${name} on ${day}` : formatOutcome(state, name, day),
    ),
    body: describePlace(request, language),
    path: eventId === null ? 'requests' : `meetings/${eventId}`,
    tag: `hold-${id}`,
    until: isPending ? until : to,
  }
}

function writeBookingsPush(bookings: BookingInMail[], language: Language): Push {
  const [first, ...more] = bookings
  const lines = bookings.slice(0, LISTED_MAX).map((each) => `${each.name}, ${describePlace(each, language)}`)
  const rest = bookings.length - lines.length
  const ends = bookings.map(({ to }) => to)
  return {
    title: formatBookingsSubject(bookings, language),
    body:
      first && more.length === 0
        ? describePlace(first, language)
        : [
            ...lines,
            ...(rest > 0
              ? [writeInLanguage(language, countedMessage(rest, 'And # more.', 'And # more.'))]
              : []),
          ].join('\n'),
    path: first && more.length === 0 && first.state !== 'cancelled' ? `bookings/${first.id}` : '',
    tag: more.length === 0 ? `booking-${first?.id}` : `bookings-${first?.id}`,
    until: ends.includes(null) ? null : (ends.toSorted().at(-1) ?? null),
  }
}

function writeLostRoomPush([room]: LostRoom[], language: Language): Push {
  if (!room) throw new Error('A push about nothing')
  const { name, now, from, to, zone, eventId } = room
  const day = formatDay(from, zone, language)
  return {
    title: writeInLanguage(
      language,
      now.length > 0
        ? message`New room: ${shorten(now.join(', '), NAME_LENGTH_MAX)} on ${day}`
        : message`Your meeting has lost its room: ${name} on ${day}`,
    ),
    body: formatSpan({ from, to }, zone, language),
    path: `meetings/${eventId}`,
    tag: `meeting-${eventId}`,
    until: to,
  }
}
