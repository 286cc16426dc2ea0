// Formats bookings and events as calendar entries, for calendars and for mails to people. Calendars contain no e-mails, and
// that of a place nothing private: anyone who has a calendar's address can read it.
import { EVENT_CLASSIFICATIONS } from '../events/events.ts'
import { writeIn } from '../messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import type { CalendarEntry } from './calendars-shape.ts'

const OCTETS_MAX = 75

type Property = readonly [name: string, value: string]

const PRODUCT = '-//Berth//Berth//EN'

/** The beginning of a file. The components follow, then END_CALENDAR. */
export function beginCalendar(name: string): string {
  return lines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT],
    ['CALSCALE', 'GREGORIAN'],
    // RFC 7986's property, and the one that most programs look for.
    ['NAME', escapeText(name)],
    ['X-WR-CALNAME', escapeText(name)],
    ['REFRESH-INTERVAL;VALUE=DURATION', 'PT15M'],
    ['X-PUBLISHED-TTL', 'PT15M'],
  ])
}

/** The addresses of the sender of an invitation, and of the person whose booking it is. */
export type Invitation = { organizer: string; attendee: string }

export type CalendarPart = { method: 'request' | 'cancel' | 'publish'; content: string }

/** More cancellations than this in one mail have no calendar part. */
const CANCELLED_MAX = 100

type Scope = Invitation & { database: string; language: Language }

/**
 * Writes the calendar parts of a mail about bookings of its reader. An invitation or a cancellation has one entry (RFC 5546), and
 * calendar programs read only the first entry of a cancellation, so each cancelled booking gets its own part. One part
 * publishes several other bookings, which the reader can add.
 */
export function writeInvitations(entries: readonly CalendarEntry[], scope: Scope): CalendarPart[] {
  const others = entries.filter(({ cancelled }) => !cancelled)
  const cancelled = entries.filter((entry) => entry.cancelled).slice(0, CANCELLED_MAX)
  const [first] = others
  return [
    ...(first ? [writePart(others.length > 1 ? 'publish' : 'request', others, scope)] : []),
    ...cancelled.map((entry) => writePart('cancel', [entry], scope)),
  ]
}

function writePart(
  method: CalendarPart['method'],
  entries: readonly CalendarEntry[],
  { database, language, ...invitation }: Scope,
): CalendarPart {
  const scope = { isOfUser: true, database, language, ...(method === 'publish' ? {} : { invitation }) }
  const head: Property[] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT],
    ['CALSCALE', 'GREGORIAN'],
    ['METHOD', method.toUpperCase()],
  ]
  const content = lines(head) + entries.map((entry) => formatEntry(entry, scope)).join('') + END_CALENDAR
  return { method, content }
}

const inviteProperties = (invitation: Invitation | undefined): Property[] =>
  invitation
    ? [
        ['ORGANIZER', `mailto:${invitation.organizer}`],
        // The person booked it themselves, so the invitation does not ask for a reply.
        ['ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE', `mailto:${invitation.attendee}`],
      ]
    : []

export const END_CALENDAR = lines([['END', 'VCALENDAR']])

export function component(name: string, properties: ReadonlyArray<Property | undefined>): string {
  const given = properties.filter((property) => property !== undefined)
  return lines([['BEGIN', name], ...given, ['END', name]])
}

/** Text in this format has no control characters except tabs and line breaks, which are written as \n. */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replaceAll('\n', '\\n')
  )
}

/** Drops fractions of a second, which the format does not have. */
const formatInstant = (instant: string): string => `${instant.slice(0, 19).replace(/[-:]/g, '')}Z`

function lines(properties: readonly Property[]): string {
  return properties.map(([name, value]) => fold(`${name}:${value}`)).join('')
}

// A folded line continues after a space, which counts. Characters are not split.
function fold(line: string): string {
  if (line.length * 3 <= OCTETS_MAX) return `${line}\r\n`
  let folded = ''
  let octets = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > OCTETS_MAX) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += length
  }
  return `${folded}\r\n`
}

/** Whose calendar it is. `database` distinguishes bookings of one Berth from those of another. */
type CalendarScope = { isOfUser: boolean; database: string; language?: Language; invitation?: Invitation }

// The format has no open end, and an end relative to today would change every day.
const OPEN_YEARS = 10
const SECOND_MS = 1_000

const CLASSES = new Map<number | null, string>([
  [EVENT_CLASSIFICATIONS.public, 'PUBLIC'],
  [EVENT_CLASSIFICATIONS.private, 'PRIVATE'],
  [EVENT_CLASSIFICATIONS.confidential, 'CONFIDENTIAL'],
])
const HIDDEN: Array<number | null> = [EVENT_CLASSIFICATIONS.private, EVENT_CLASSIFICATIONS.confidential]

export function formatEntries(joined: string, scope: CalendarScope): string {
  const entries: CalendarEntry[] = JSON.parse(`[${joined}]`)
  return entries.map((entry) => formatEntry(entry, scope)).join('')
}

function formatEntry(
  entry: CalendarEntry,
  { isOfUser, database, language = DEFAULT_LANGUAGE, invitation }: CalendarScope,
): string {
  const { kind, id, cancelled, classification } = entry
  const changed = formatInstant(entry.updated_at)
  const isHidden = !isOfUser && entry.name !== null && HIDDEN.includes(classification)
  const described = isHidden ? '' : describe(entry, language)
  const place = [...entry.bookables, ...(entry.place === null ? [] : [entry.place])].join(', ')
  const secrecy = CLASSES.get(classification)
  return component('VEVENT', [
    ['UID', `${kind}-${id}@${database}.berth`],
    // Without a METHOD, this is when the entry last changed, so the file changes only when an entry does.
    ['DTSTAMP', changed],
    ['CREATED', formatInstant(entry.created_at)],
    ['LAST-MODIFIED', changed],
    ['SEQUENCE', String(entry.sequence)],
    ...inviteProperties(invitation),
    ['DTSTART', formatInstant(entry.from)],
    ['DTEND', formatEnd(entry)],
    ['SUMMARY', escapeText(isHidden ? 'Private event' : summarize(entry, isOfUser))],
    textProperty('LOCATION', place),
    textProperty('DESCRIPTION', described),
    secrecy === undefined ? undefined : ['CLASS', secrecy],
    ['STATUS', cancelled ? 'CANCELLED' : 'CONFIRMED'],
    ['TRANSP', isFree(entry, isOfUser) ? 'TRANSPARENT' : 'OPAQUE'],
  ])
}

const textProperty = (name: string, text: string): Property | undefined =>
  text === '' ? undefined : [name, escapeText(text)]

function summarize(entry: CalendarEntry, isOfUser: boolean): string {
  const { name, bookables, person, guest, organizer } = entry
  if (name !== null) return name
  const bookable = bookables[0] ?? 'Booking'
  if (isOfUser) return guest === null ? bookable : `${bookable} (${guest})`
  return `${bookable}: ${guest ?? person ?? organizer ?? 'Taken'}`
}

function describe({ to, kind, description, organizer }: CalendarEntry, language: Language): string {
  if (kind === 'booking') return to === null ? writeIn(language, message`Open-ended.`) : ''
  return [description, organizer && `Organizer: ${organizer}`].filter(Boolean).join('\n\n')
}

// A person who has a desk is not busy because of it.
function isFree({ cancelled, kind, is_room: isRoom }: CalendarEntry, isOfUser: boolean): boolean {
  return cancelled || (isOfUser && kind === 'booking' && !isRoom)
}

// The format has whole seconds only, and requires an end later than the start.
function formatEnd(entry: CalendarEntry): string {
  const end = formatInstant(entry.to ?? openEnd(entry))
  if (end > formatInstant(entry.from)) return end
  return formatInstant(new Date(Date.parse(entry.from) + SECOND_MS).toISOString())
}

function openEnd({ from, updated_at: updatedAt }: CalendarEntry): string {
  const end = new Date(from > updatedAt ? from : updatedAt)
  end.setUTCFullYear(end.getUTCFullYear() + OPEN_YEARS)
  return end.toISOString()
}
