// Maps the headings of an import file to columns: by a column's own name or by other common names. Also describes the
// errors in a row, by column.
import { literalMessage, type Message, message } from '../messages/message.ts'

/**
 * Returns the column of each heading. `known` lists common names for each column, which only count if the file does not
 * have the column under its own name. `findOther` finds columns that have too many possible names to list.
 */
export function matchColumnsToHeadings<Column extends string>(
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
 * The errors in a row of an import, by column. The number of the row is only added when an error is shown, because the
 * same row has other numbers in other files. Older releases stored finished English sentences.
 */
export type RowErrors = Record<string, Array<Message | string>>

export function describeRowError(row: number, rule: Message | string): Message {
  return typeof rule === 'string' ? literalMessage(rule) : message`Row ${row}: ${rule}.`
}
