// A message to a person, as data: an English sentence with placeholders for its values, as in gettext. A message stays
// data from where it is thrown to where it is read, and only becomes a sentence there (write-message.ts). No code
// parses a sentence.

/**
 * A value in a message. A string is a user's own text, such as the name of a desk, and is never translated. Berth's own
 * texts are messages.
 */
export type MessageValue = string | number | Message | FieldName | DayValue | MomentValue | ZonedTimeRange
/** A field of a request or a form. The API shows the path of the field, and a page shows its label. */
type FieldName = { field: string }
export type DayValue = { date: string }
/** An instant, shown in the local time of the place that it relates to. */
export type MomentValue = { at: string; zone: string }
export type ZonedTimeRange = { from: string; to: string | null; zone: string }

export type Message = {
  /** The English sentence, which is also its key in catalogs, such as `{0} is blocked.` */
  text: string
  values?: MessageValue[]
  /** The number that `#` stands for, if the sentence contains a count. `one` is the English sentence for the
   * number one. */
  count?: number
  one?: string
}

const keysByParts = new WeakMap<TemplateStringsArray, string>()

/** Returns the key of a template in catalogs, such as `Floor {0}`. */
export function getMessageKey(parts: TemplateStringsArray): string {
  const known = keysByParts.get(parts)
  if (known !== undefined) return known
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  keysByParts.set(parts, key)
  return key
}

export function message(parts: TemplateStringsArray, ...values: MessageValue[]): Message {
  return values.length === 0 ? { text: getMessageKey(parts) } : { text: getMessageKey(parts), values }
}

/**
 * `counted(3, '# desk in {0}', '# desks in {0}', floor)` becomes “3 desks in Floor 1”. The second text is the key in
 * catalogs.
 */
export function countedMessage(count: number, one: string, text: string, ...values: MessageValue[]): Message {
  return { text, one, count, values }
}

/**
 * Wraps a finished text that must not be translated, because an older release stored it or another program wrote it.
 */
export function literalMessage(text: string): Message {
  return { text: '{0}', values: [text] }
}

/** Reads a message from a text column. Older releases stored a finished sentence there. */
export function parseStoredMessage(text: string): Message {
  return text.startsWith('{') ? (JSON.parse(text) as Message) : literalMessage(text)
}

export const fieldName = (path: string): FieldName => ({ field: path })

export function joinMessages(messages: MessageValue[], separator = ' '): Message {
  return { text: messages.map((_message, index) => `{${index}}`).join(separator), values: messages }
}

/** Lists the first names and counts the others, as in “Desk 1, Desk 2 and 38 more”. */
export function listNames(names: readonly string[], shownMax: number): MessageValue {
  const shown = names.slice(0, shownMax).join(', ')
  return names.length > shownMax ? message`${shown} and ${names.length - shownMax} more` : shown
}

export const MISSING_PLACE_MESSAGES = {
  buildings: message`There is no building with this id.`,
  locations: message`There is no floor with this id.`,
  bookables: message`There is no desk or room with this id.`,
}
