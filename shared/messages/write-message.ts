// Turns a message into a sentence for one reader: in their language, with field names as they see them, on
// the clocks of the place.
import { wallMs } from '../utilities/time-zones.ts'
import { type Message, type Moment, message, type Value, type ZonedTimeRange } from './message.ts'

/**
 * The sentences of a language, keyed by the English ones. Values are {0}, {1}…; a translation may reorder them. A
 * counted sentence has its two forms, for one and for other numbers: `# Buchung | # Buchungen`.
 */
export type Catalog = Readonly<Record<string, string>>

export type Reader = {
  locale: string
  /** The sentence in another language; undefined if it has no translation. */
  find(text: string): string | undefined
  nameField(path: string): string
  formatDate(date: string): string
  /** Follows a time of day: ` UTC`. */
  formatZone(zone: string): string
}

export const ENGLISH: Reader = {
  locale: 'en-GB',
  find: () => undefined,
  nameField: (path) => path,
  formatDate: (date) => date,
  formatZone: (zone) => (zone === 'UTC' ? ' UTC' : ` (${zone})`),
}

/** The form for the API and the log. */
export function writeEnglish(told: Message): string {
  return writeMessage(told, ENGLISH)
}

export function writeMessage({ text, values = [], count, one }: Message, reader: Reader): string {
  const written = values.map((value) => writeValue(value, reader))
  const known = reader.find(text)
  if (count === undefined) return fill(known ?? text, written).join('')
  return fillCounted(known ?? `${one ?? text} | ${text}`, count, written, reader.locale)
}

function writeValue(value: Value, reader: Reader): string {
  if (typeof value !== 'object') return String(value)
  if ('text' in value) return writeMessage(value, reader)
  if ('field' in value) return reader.nameField(value.field)
  if ('date' in value) return reader.formatDate(value.date)
  return writeMessage('at' in value ? describeMoment(value, reader) : describeSpan(value, reader), reader)
}

function describeMoment({ at, zone }: Moment, reader: Reader): Message {
  const { date, time } = onClock(at, zone)
  return message`${time + reader.formatZone(zone)} on ${{ date }}`
}

// Names the time zone only once.
function describeSpan({ from, to, zone }: ZonedTimeRange, reader: Reader): Message {
  const [start, named] = [onClock(from, zone), reader.formatZone(zone)]
  const first = { date: start.date }
  if (to === null) return message`from ${start.time + named} on ${first} with no end`
  const end = onClock(to, zone)
  if (start.date === end.date) return message`from ${start.time} to ${end.time + named} on ${first}`
  return message`from ${start.time} on ${first} to ${end.time + named} on ${{ date: end.date }}`
}

function onClock(instant: string, zone: string): { date: string; time: string } {
  const [date = '', clock = ''] = new Date(wallMs(Date.parse(instant), zone)).toISOString().split('T')
  const time = clock.slice(0, 8)
  return { date, time: time.endsWith(':00') ? time.slice(0, 5) : time }
}

/** Chooses the form for this count, and fills in the values; `#` stands for the number. */
export function fillCounted(forms: string, count: number, values: readonly string[], locale: string): string {
  const [one = '', other = one] = forms.split(' | ')
  const form = (count === 1 ? one : other).replace('#', `{${values.length}}`)
  return fill(form, [...values, count.toLocaleString(locale)]).join('')
}

const split = new Map<string, Array<string | number>>()

/** The parts of a sentence, with the values between them. */
export function fill<Content>(text: string, values: readonly Content[]): Array<string | Content> {
  const isPresent = (piece: string | Content | undefined): piece is string | Content => piece !== undefined
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : values[piece]))
    .filter(isPresent)
}

/** Splits a sentence into its texts and the numbers of its values. */
function piecesOf(text: string): Array<string | number> {
  const known = split.get(text)
  if (known) return known
  const pieces = text.split(/\{(\d+)\}/).map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
  split.set(text, pieces)
  return pieces
}
