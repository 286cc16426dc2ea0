// The header: which column of the file holds which field.

import { joinMessages, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { type UserColumn, userColumns } from '../../../shared/users/user-columns.ts'
import { type Cells, refuseFile } from './sheet.ts'

/** The known columns by their index in the file. */
export type Header<Column extends string = UserColumn> = Map<Column, number>

/** The column names of a list, and the column that every file of it must have. */
export type KnownColumns<Column extends string> = {
  nameEach(headings: Cells): Array<Column | undefined>
  required: Column
}

export const USER_COLUMNS: KnownColumns<UserColumn> = { nameEach: userColumns, required: 'email' }

const NAMED_MAX = 10
const NAME_LENGTH_MAX = 40

export function parseHeader<Column extends string>(
  cells: Cells,
  { nameEach, required }: KnownColumns<Column>,
): Header<Column> {
  const header: Header<Column> = new Map()
  for (const [place, column] of nameEach(cells).entries()) {
    if (!column) continue
    if (header.has(column)) throw refuseFile(message`The file has the column “${column}” twice.`)
    header.set(column, place)
  }
  if (header.has(required)) return header
  const problem =
    header.size > 0
      ? message`The file has no column “${required}”.`
      : message`The first row of the file must contain the column names, including “${required}”.`
  throw refuseFile(joinMessages([problem, ...describeHeadings(cells)]))
}

export function countKnownColumns<Column extends string>(
  cells: Cells,
  { nameEach }: KnownColumns<Column>,
): number {
  return nameEach(cells).filter((column) => column !== undefined).length
}

function describeHeadings(cells: Cells): Message[] {
  const names = cells.map((cell) => cell?.trim() ?? '').filter((name) => name !== '')
  const shown = names.map((name) => `“${shorten(name)}”`)
  return names.length === 0 ? [] : [message`It begins with ${listNames(shown, NAMED_MAX)}.`]
}

function shorten(name: string): string {
  const characters = [...name.toWellFormed().replace(/\p{Cc}+/gu, ' ')]
  return characters.length > NAME_LENGTH_MAX
    ? `${characters.slice(0, NAME_LENGTH_MAX).join('')}…`
    : characters.join('')
}
