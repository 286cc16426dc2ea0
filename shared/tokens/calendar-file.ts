// Formats bookings and events as calendar entries, for subscribed calendars and for mails to people. Subscribed
// calendars contain no e-mail addresses, and the calendar of a place contains nothing private, because anyone who has
// its URL can read it.
import { EVENT_CLASSIFICATIONS } from '../events/events.ts'
import { writeInLanguage } from '../messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import { formatCalendarInstant, type Property } from './calendar-timezones.ts'
import type { CalendarEntry } from './calendars-shape.ts'

const LINE_OCTETS_MAX = 75

const PRODUCT_ID = '-//Berth//Berth//EN'

/** Returns the beginning of a calendar file. Components follow it, and END_CALENDAR comes last. */
export function beginCalendar(name: string): string {
  return formatLines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT_ID],
    ['CALSCALE', 'GREGORIAN'],
    // Sets the name of the calendar twice: in the property of RFC 7986, and in the one that most programs read.
    ['NAME', escapeText(name)],
    ['X-WR-CALNAME', escapeText(name)],
    ['REFRESH-INTERVAL;VALUE=DURATION', 'PT15M'],
    ['X-PUBLISHED-TTL', 'PT15M'],
  ])
}

export type CalendarPerson = {
  /** Null if only the address is known. */
  name: string | null
  email: string
  status: 'NEEDS-ACTION' | 'ACCEPTED' | 'TENTATIVE' | 'DECLINED'
  /** Whether calendar programs should ask the person for an answer. */
  isAsked: boolean
}

/** The organizer and the attendees of a calendar entry. */
export type Invitation = {
  organizer: Pick<CalendarPerson, 'name' | 'email'>
  attendees: readonly CalendarPerson[]
}

export type CalendarPart = { method: 'request' | 'cancel' | 'publish'; content: string }

/**
 * The limit on cancellations in a mail with calendar parts. A mail with more cancellations has no calendar parts for
 * them.
 */
const CANCELLED_MAX = 100

type InvitationScope = Invitation & { database: string; language: Language }

/** Writes the calendar part of a mail about a meeting: an invitation, or a cancellation. */
export const writeMeetingPart = (entry: CalendarEntry, scope: InvitationScope): CalendarPart =>
  writePart(entry.cancelled ? 'cancel' : 'request', [entry], scope)

/**
 * Writes the calendar parts of a mail about the recipient's bookings. An invitation or a cancellation has one entry
 * (RFC 5546), and calendar programs only read the first entry of a cancellation, so each cancelled booking gets its own
 * part. If the mail is about several other bookings, one part publishes all of them, and the recipient can add them.
 */
export function writeInvitations(entries: readonly CalendarEntry[], scope: InvitationScope): CalendarPart[] {
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
  { database, language, organizer, attendees }: InvitationScope,
): CalendarPart {
  const invitation = method === 'publish' ? {} : { invitation: { organizer, attendees } }
  const scope = { isOfUser: true, database, language, ...invitation }
  return wrapPart(method, entries.map((entry) => formatEntry(entry, scope)).join(''))
}

/** Returns the calendar part of a mail that contains these components. */
export function wrapPart(method: CalendarPart['method'], components: string): CalendarPart {
  const head: Property[] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT_ID],
    ['CALSCALE', 'GREGORIAN'],
    ['METHOD', method.toUpperCase()],
  ]
  return { method, content: formatLines(head) + components + END_CALENDAR }
}

function createInviteProperties(invitation: Invitation | undefined): Property[] {
  if (!invitation) return []
  const { organizer, attendees } = invitation
  return [
    [`ORGANIZER${formatNameParameter(organizer)}`, `mailto:${organizer.email}`],
    ...attendees.map(
      (each): Property => [
        `ATTENDEE${formatNameParameter(each)};ROLE=REQ-PARTICIPANT;PARTSTAT=${each.status};RSVP=${each.isAsked ? 'TRUE' : 'FALSE'}`,
        `mailto:${each.email}`,
      ],
    ),
  ]
}

// A quoted value can contain no quotes and no control characters.
const formatNameParameter = ({ name }: Pick<CalendarPerson, 'name'>): string =>
  name === null ? '' : `;CN="${name.replace(/[\p{Cc}"]/gu, ' ').trim()}"`

export const END_CALENDAR = formatLines([['END', 'VCALENDAR']])

export function formatComponent(name: string, properties: ReadonlyArray<Property | undefined>): string {
  const given = properties.filter((property) => property !== undefined)
  return formatLines([['BEGIN', name], ...given, ['END', name]])
}

/**
 * Escapes text for calendar files. They may contain no control characters except tabs and line breaks (written as \n).
 */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to remove
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replaceAll('\n', '\\n')
  )
}

export function formatLines(properties: readonly Property[]): string {
  return properties.map(([name, value]) => foldLine(`${name}:${value}`)).join('')
}

// Folds a long line of a calendar file. A continuation starts with a space, which counts towards the length. Never
// splits a character.
function foldLine(line: string): string {
  if (line.length * 3 <= LINE_OCTETS_MAX) return `${line}\r\n`
  let folded = ''
  let octets = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > LINE_OCTETS_MAX) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += length
  }
  return `${folded}\r\n`
}

/** The kind of calendar. `database` distinguishes the bookings of this installation from those of another. */
export type CalendarScope = {
  isOfUser: boolean
  database: string
  language?: Language
  invitation?: Invitation
}

// The length of an entry without an end, because calendar files do not support open ends. An end relative to today
// would change every day.
const OPEN_ENTRY_YEARS = 10
const SECOND_MS = 1_000

const CLASSES_BY_CLASSIFICATION = new Map<number | null, string>([
  [EVENT_CLASSIFICATIONS.public, 'PUBLIC'],
  [EVENT_CLASSIFICATIONS.private, 'PRIVATE'],
  [EVENT_CLASSIFICATIONS.confidential, 'CONFIDENTIAL'],
])
const HIDDEN_CLASSIFICATIONS: Array<number | null> = [
  EVENT_CLASSIFICATIONS.private,
  EVENT_CLASSIFICATIONS.confidential,
]

export function formatEntry(entry: CalendarEntry, scope: CalendarScope): string {
  const uid = `${entry.kind}-${entry.id}@${scope.database}.berth`
  return formatComponent('VEVENT', [
    ...describeVersion([entry], uid, entry.sequence),
    ['DTSTART', formatCalendarInstant(entry.from)],
    ['DTEND', formatCalendarInstant(findEntryEnd(entry))],
    ...describeContent(entry, scope),
  ])
}

/** Returns the properties that identify an entry, which may have several dates, and its version. */
export function describeVersion(dates: readonly CalendarEntry[], uid: string, sequence: number): Property[] {
  const changed = formatCalendarInstant(
    dates
      .map((each) => each.updated_at)
      .sort()
      .at(-1) ?? '',
  )
  const created = formatCalendarInstant(dates.map((each) => each.created_at).sort()[0] ?? '')
  return [
    ['UID', uid],
    // In a file without METHOD, DTSTAMP is the time of the last change, so that the file changes only when an entry
    // changes.
    ['DTSTAMP', changed],
    ['CREATED', created],
    ['LAST-MODIFIED', changed],
    ['SEQUENCE', String(sequence)],
  ]
}

/** Returns the properties of an entry that say what it is about. */
export function describeContent(
  entry: CalendarEntry,
  { isOfUser, language = DEFAULT_LANGUAGE, invitation }: CalendarScope,
): Property[] {
  const { cancelled, classification } = entry
  const isHidden = !isOfUser && entry.name !== null && HIDDEN_CLASSIFICATIONS.includes(classification)
  const described = isHidden ? '' : describeEntry(entry, language)
  const place = [...entry.bookables, ...(entry.place === null ? [] : [entry.place])].join(', ')
  const secrecy = CLASSES_BY_CLASSIFICATION.get(classification)
  const properties: Array<Property | undefined> = [
    ...createInviteProperties(invitation),
    ['SUMMARY', escapeText(isHidden ? 'Private event' : summarizeEntry(entry, isOfUser))],
    createTextProperty('LOCATION', place),
    createTextProperty('DESCRIPTION', described),
    secrecy === undefined ? undefined : ['CLASS', secrecy],
    ['STATUS', cancelled ? 'CANCELLED' : 'CONFIRMED'],
    ['TRANSP', isPersonFree(entry, isOfUser) ? 'TRANSPARENT' : 'OPAQUE'],
  ]
  return properties.filter((property) => property !== undefined)
}

const createTextProperty = (name: string, text: string): Property | undefined =>
  text === '' ? undefined : [name, escapeText(text)]

function summarizeEntry(entry: CalendarEntry, isOfUser: boolean): string {
  const { name, bookables, person, guest, organizer } = entry
  if (name !== null) return name
  const bookable = bookables[0] ?? 'Booking'
  if (isOfUser) return guest === null ? bookable : `${bookable} (${guest})`
  return `${bookable}: ${guest ?? person ?? organizer ?? 'Taken'}`
}

function describeEntry({ to, kind, description, organizer }: CalendarEntry, language: Language): string {
  if (kind === 'booking') return to === null ? writeInLanguage(language, message`Open-ended.`) : ''
  const label = writeInLanguage(language, message`Organizer:`)
  return [description, organizer && `${label} ${organizer}`].filter(Boolean).join('\n\n')
}

// Whether the person is still free during the entry. A desk booking does not make anyone busy.
function isPersonFree({ cancelled, kind, is_room: isRoom }: CalendarEntry, isOfUser: boolean): boolean {
  return cancelled || (isOfUser && kind === 'booking' && !isRoom)
}

/** Returns the end of an entry. Calendar files only support whole seconds, and the end must be after the start. */
export function findEntryEnd(entry: CalendarEntry): string {
  const end = entry.to ?? computeOpenEnd(entry)
  if (formatCalendarInstant(end) > formatCalendarInstant(entry.from)) return end
  return new Date(Date.parse(entry.from) + SECOND_MS).toISOString()
}

function computeOpenEnd({ from, updated_at: updatedAt }: CalendarEntry): string {
  const end = new Date(from > updatedAt ? from : updatedAt)
  end.setUTCFullYear(end.getUTCFullYear() + OPEN_ENTRY_YEARS)
  return end.toISOString()
}
