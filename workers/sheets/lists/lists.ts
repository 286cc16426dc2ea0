// Defines the kinds of lists that an import file may contain: which column of the file is for which field, and the
// lines for COPY that are written for its rows.
import { findBookableColumns } from '../../../shared/bookables/bookable-columns.ts'
import { findUserColumns } from '../../../shared/imports/user-columns.ts'
import { joinMessages, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { type CopyValue, formatArrayLiteral, formatCopyLine } from '../formats/copy-format.ts'
import { createFileRefusal, type RowCells, type SheetRow } from '../formats/sheet.ts'
import { createBookableReader, STAGED_BOOKABLE_COLUMNS } from './bookable-rows.ts'
import { CheckedCells, ROW_ERRORS_MAX, type SheetHeader, toStorableCells } from './checked-cells.ts'
import { createUserReader, STAGED_USER_COLUMNS } from './user-rows.ts'

export type ImportedList<Column extends string = string> = {
  nameEach(headings: RowCells): Array<Column | undefined>
  /** The column that every file with this kind of list must have. */
  required: Column
  /** SQL for the columns of the staging table between the row number and the errors. */
  staged: string
  /** Returns a function that reads these columns from a row. */
  createReader(header: SheetHeader<Column>): (cells: CheckedCells<Column>) => CopyValue[]
}

const defineList = <Column extends string>(of: ImportedList<Column>): ImportedList =>
  of as unknown as ImportedList

export const LISTS = {
  users: defineList({
    nameEach: findUserColumns,
    required: 'email',
    staged: STAGED_USER_COLUMNS,
    createReader: createUserReader,
  }),
  bookables: defineList({
    nameEach: findBookableColumns,
    required: 'name',
    staged: STAGED_BOOKABLE_COLUMNS,
    createReader: createBookableReader,
  }),
}
export type ListName = keyof typeof LISTS

/** The limit on errors in a file, after which each row reports only its first error. */
const FILE_ERRORS_MAX = 20_000

/** Returns a function that writes the line for each row of a sheet with this header. */
export function createLineWriter(name: ListName, header: SheetHeader<string>, keepsCells = false) {
  const readValues = LISTS[name].createReader(header)
  let errors = 0
  return (row: SheetRow): string => {
    const cells = new CheckedCells(row, header, errors < FILE_ERRORS_MAX ? ROW_ERRORS_MAX : 1)
    const values = [row.number, ...readValues(cells), cells.toJson()]
    errors += cells.shownErrors
    return formatCopyLine(keepsCells ? [...values, formatArrayLiteral(toStorableCells(row.cells))] : values)
  }
}

const NAMED_HEADINGS_MAX = 10
const NAME_LENGTH_MAX = 40

/** Parses a header. Refuses one that does not belong to this kind of list. */
export function parseHeader(cells: RowCells, { nameEach, required }: ImportedList): SheetHeader<string> {
  const header: SheetHeader<string> = new Map()
  for (const [place, column] of nameEach(cells).entries()) {
    if (!column) continue
    if (header.has(column)) throw createFileRefusal(message`The file has the column “${column}” twice.`)
    header.set(column, place)
  }
  if (header.has(required)) return header
  const problem =
    header.size > 0
      ? message`The file has no column “${required}”.`
      : message`The first row of the file must contain the column names, including “${required}”.`
  throw createFileRefusal(joinMessages([problem, ...describeHeadings(cells)]))
}

function describeHeadings(cells: RowCells): Message[] {
  const names = cells.map((cell) => cell?.trim() ?? '').filter((name) => name !== '')
  const shown = names.map((name) => `“${shortenName(name)}”`)
  return names.length === 0
    ? []
    : [message`The first row begins with ${listNames(shown, NAMED_HEADINGS_MAX)}.`]
}

function shortenName(name: string): string {
  const characters = [...name.toWellFormed().replace(/\p{Cc}+/gu, ' ')]
  return characters.length > NAME_LENGTH_MAX
    ? `${characters.slice(0, NAME_LENGTH_MAX).join('')}…`
    : characters.join('')
}
