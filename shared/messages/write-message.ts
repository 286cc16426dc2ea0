// Turns a message into a sentence for one reader: in their language, with fields named as the reader sees them, and
// with times in the local time of the place.
import { localTimeMs } from '../utilities/time-zones.ts'
import { replaceWithApiWords } from './api-words.ts'
import { type Message, type MessageValue, type MomentValue, message, type ZonedTimeRange } from './message.ts'

/**
 * The sentences of a language, keyed by the English sentences. Values are {0}, {1} and so on, which a translation may
 * reorder. A sentence with a count has two forms, for one and for other numbers: `# Buchung | # Buchungen`.
 */
export type MessageCatalog = Readonly<Record<string, string>>

export type MessageReader = {
  locale: string
  /**
   * Returns the sentence in the reader's language. For a sentence with a count, `one` is its form for the number one.
   */
  find(text: string, one?: string): string | undefined
  nameField(path: string): string
  formatDate(date: string): string
  /** Returns the text that follows a time of day, such as ` UTC`. */
  formatZone(zone: string): string
}

export const ENGLISH: MessageReader = {
  locale: 'en-GB',
  find: (text, one) => replaceWithApiWords(one === undefined ? text : `${one} | ${text}`),
  nameField: (path) => path,
  formatDate: (date) => date,
  formatZone: (zone) => (zone === 'UTC' ? ' UTC' : ` (${zone})`),
}

/** Writes a message in English, for the API and the log. */
export function writeEnglish(told: Message): string {
  return writeMessage(told, ENGLISH)
}

export function writeMessage({ text, values = [], count, one }: Message, reader: MessageReader): string {
  const written = values.map((value) => writeValue(value, reader))
  const known = reader.find(text, one)
  if (count === undefined) return fillPlaceholders(known ?? text, written).join('')
  return fillCountedMessage(known ?? `${one ?? text} | ${text}`, count, written, reader.locale)
}

function writeValue(value: MessageValue, reader: MessageReader): string {
  if (typeof value !== 'object') return String(value)
  if ('text' in value) return writeMessage(value, reader)
  if ('field' in value) return reader.nameField(value.field)
  if ('date' in value) return reader.formatDate(value.date)
  return writeMessage('at' in value ? describeMoment(value, reader) : describeSpan(value, reader), reader)
}

function describeMoment({ at, zone }: MomentValue, reader: MessageReader): Message {
  const { date, time } = toClockTime(at, zone)
  return message`${time + reader.formatZone(zone)} on ${{ date }}`
}

// Describes a time range. Names the time zone only once, after the end.
function describeSpan({ from, to, zone }: ZonedTimeRange, reader: MessageReader): Message {
  const [start, named] = [toClockTime(from, zone), reader.formatZone(zone)]
  const first = { date: start.date }
  if (to === null) return message`from ${start.time + named} on ${first} with no end`
  const end = toClockTime(to, zone)
  if (start.date === end.date) return message`from ${start.time} to ${end.time + named} on ${first}`
  return message`from ${start.time} on ${first} to ${end.time + named} on ${{ date: end.date }}`
}

function toClockTime(instant: string, zone: string): { date: string; time: string } {
  const [date = '', clock = ''] = new Date(localTimeMs(Date.parse(instant), zone)).toISOString().split('T')
  const time = clock.slice(0, 8)
  return { date, time: time.endsWith(':00') ? time.slice(0, 5) : time }
}

/** Chooses the form for this count and fills in the values. `#` in the form stands for the number. */
export function fillCountedMessage(
  forms: string,
  count: number,
  values: readonly string[],
  locale: string,
): string {
  const [one = '', other = one] = forms.split(' | ')
  const form = (count === 1 ? one : other).replace('#', `{${values.length}}`)
  return fillPlaceholders(form, [...values, count.toLocaleString(locale)]).join('')
}

const piecesByText = new Map<string, Array<string | number>>()

/** Returns the parts of a sentence, with the values between them. */
export function fillPlaceholders<Content>(text: string, values: readonly Content[]): Array<string | Content> {
  const isPresent = (piece: string | Content | undefined): piece is string | Content => piece !== undefined
  return splitMessage(text)
    .map((piece) => (typeof piece === 'string' ? piece : values[piece]))
    .filter(isPresent)
}

/** Splits a sentence into its texts and the numbers of its placeholders. */
function splitMessage(text: string): Array<string | number> {
  const known = piecesByText.get(text)
  if (known) return known
  const pieces = text.split(/\{(\d+)\}/).map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
  piecesByText.set(text, pieces)
  return pieces
}
