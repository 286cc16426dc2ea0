// The errors of an import row: the rules that it breaks, by column. The row's number is added when an error
// is shown, because it differs in other files.
import { literal, type Message, message } from './message.ts'

/** An older release has stored finished English sentences. */
export type RowErrors = Record<string, Array<Message | string>>

export function describeRowError(row: number, rule: Message | string): Message {
  return typeof rule === 'string' ? literal(rule) : message`Row ${row}: ${rule}.`
}
