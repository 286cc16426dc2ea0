// Finds the columns that the headings of an import file name: by a column's own name, or by what people call
// it; and the errors of a row, by column.
import { literal, type Message, message } from '../messages/message.ts'

/**
 * `known` has what people call each column. That counts only in a file that does not have the column under its
 * own name. `findOther` finds columns by names that are too many to list.
 */
export function nameColumns<Column extends string>(
  headings: ReadonlyArray<string | undefined>,
  known: Partial<Record<Column, readonly string[]>>,
  findOther: (name: string) => Column | undefined = () => undefined,
): Array<Column | undefined> {
  const columns = Object.entries<readonly string[] | undefined>(known) as Array<[Column, readonly string[]]>
  const names = Array.from(headings, (heading) => heading?.trim().toLowerCase() ?? '')
  const own = names.map((name) => columns.find(([column]) => column === name)?.[0] ?? findOther(name))
  return names.map((name, place) => {
    const alias = columns.find(([, aliases]) => aliases.includes(name))?.[0]
    return own[place] ?? (alias && !own.includes(alias) ? alias : undefined)
  })
}

/**
 * The rules that a row breaks, by column. The row's number is added when an error is shown, because it differs in
 * other files. An older release has stored finished English sentences.
 */
export type RowErrors = Record<string, Array<Message | string>>

export function describeRowError(row: number, rule: Message | string): Message {
  return typeof rule === 'string' ? literal(rule) : message`Row ${row}: ${rule}.`
}
