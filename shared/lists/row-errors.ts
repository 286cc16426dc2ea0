// What is wrong with a row of an import: rules that it breaks, by the column that they are about. The row's number comes to a rule
// where it is read: another file has other numbers.
import { literal, type Message, message } from '../messages/message.ts'

/** An older release has stored finished English sentences. */
export type RowErrors = Record<string, Array<Message | string>>

export function describeRowError(row: number, rule: Message | string): Message {
  return typeof rule === 'string' ? literal(rule) : message`Row ${row}: ${rule}.`
}
