// The kinds of lists that an import file may contain: which column of the file holds which field, and the lines
// for COPY that its rows become.
import { bookableColumns } from '../../../shared/bookables/bookable-columns.ts'
import { userColumns } from '../../../shared/imports/user-columns.ts'
import { joinMessages, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { arrayLiteral, type CopyValue, copyLine } from '../formats/copy-format.ts'
import { type Cells, refuseFile, type SheetRow } from '../formats/sheet.ts'
import { bookableValues, STAGED_BOOKABLE } from './bookable-rows.ts'
import { CheckedCells, type Header, ROW_ERRORS_MAX, toStorableCells } from './checked-cells.ts'
import { STAGED_USER, userValues } from './user-rows.ts'

export type List<Column extends string = string> = {
  nameEach(headings: Cells): Array<Column | undefined>
  /** The column that every file of the list must have. */
  required: Column
  /** SQL: the columns of the staging table between the number of the row and its errors. */
  staged: string
  /** Returns the function that reads these values from a row. */
  createReader(header: Header<Column>): (cells: CheckedCells<Column>) => CopyValue[]
}

const list = <Column extends string>(of: List<Column>): List => of as unknown as List

export const LISTS = {
  users: list({ nameEach: userColumns, required: 'email', staged: STAGED_USER, createReader: userValues }),
  bookables: list({
    nameEach: bookableColumns,
    required: 'name',
    staged: STAGED_BOOKABLE,
    createReader: bookableValues,
  }),
}
export type ListName = keyof typeof LISTS

/** Per file; after that each row reports only its first error. */
const FILE_ERRORS_MAX = 20_000

/** Returns the function that writes the line of each row of a sheet with this header. */
export function createLineWriter(name: ListName, header: Header<string>, keepsCells = false) {
  const readValues = LISTS[name].createReader(header)
  let errors = 0
  return (row: SheetRow): string => {
    const cells = new CheckedCells(row, header, errors < FILE_ERRORS_MAX ? ROW_ERRORS_MAX : 1)
    const values = [row.number, ...readValues(cells), cells.toJson()]
    errors += cells.shownErrors
    return copyLine(keepsCells ? [...values, arrayLiteral(toStorableCells(row.cells))] : values)
  }
}

const NAMED_MAX = 10
const NAME_LENGTH_MAX = 40

/** Refuses a header that does not belong to this list. */
export function parseHeader(cells: Cells, { nameEach, required }: List): Header<string> {
  const header: Header<string> = new Map()
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
