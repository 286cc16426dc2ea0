// A message to a person, as data: an English sentence with placeholders for its values, as in gettext. It
// travels in this form from where it is thrown to where it is read, and becomes a sentence there
// (write-message.ts). No code takes a sentence apart.

/**
 * A string is a user's own text, such as the name of a desk, and is never translated. Our own words are
 * messages.
 */
export type Value = string | number | Message | FieldName | Day | Moment | ZonedTimeRange
/** A field of a request or a form: the API names it by its path, a page by its label. */
type FieldName = { field: string }
export type Day = { date: string }
/** An instant, shown on the clocks of the place that it is about. */
export type Moment = { at: string; zone: string }
export type ZonedTimeRange = { from: string; to: string | null; zone: string }

export type Message = {
  /** The English sentence, which is also its key in catalogs: `{0} is blocked.` */
  text: string
  values?: Value[]
  /** For counted things: how many (`#` in the sentence), and the English sentence for one. */
  count?: number
  one?: string
}

const keys = new WeakMap<TemplateStringsArray, string>()

/** The key of a template in catalogs: `Floor {0}`. */
export function keyOf(parts: TemplateStringsArray): string {
  const known = keys.get(parts)
  if (known !== undefined) return known
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  keys.set(parts, key)
  return key
}

export function message(parts: TemplateStringsArray, ...values: Value[]): Message {
  return values.length === 0 ? { text: keyOf(parts) } : { text: keyOf(parts), values }
}

/**
 * `counted(3, '# desk in {0}', '# desks in {0}', floor)` is “3 desks in Floor 1”. The second text is the key
 * in catalogs.
 */
export function counted(count: number, one: string, text: string, ...values: Value[]): Message {
  return { text, one, count, values }
}

/** A finished text that is not translated: stored by an older release, or written by another program. */
export function literal(text: string): Message {
  return { text: '{0}', values: [text] }
}

/** Reads a message from a text column; an older release has written the sentence itself there. */
export function parseStored(text: string): Message {
  return text.startsWith('{') ? (JSON.parse(text) as Message) : literal(text)
}

export const field = (path: string): FieldName => ({ field: path })

export function joinMessages(messages: Value[], separator = ' '): Message {
  return { text: messages.map((_message, index) => `{${index}}`).join(separator), values: messages }
}

/** “Desk 1, Desk 2 and 38 more”. */
export function listNames(names: readonly string[], shownMax: number): Value {
  const shown = names.slice(0, shownMax).join(', ')
  return names.length > shownMax ? message`${shown} and ${names.length - shownMax} more` : shown
}

export const MISSING_PLACE = {
  buildings: message`There is no building with this id.`,
  locations: message`There is no floor with this id.`,
  bookables: message`There is no desk or room with this id.`,
}
