// Checks a row by the rules that need no database, and writes its line for the staging table. A row with
// errors still contains its user's identity, so that SQL knows who is in the file.

import { type Message, message } from '../../../shared/messages/message.ts'
import { type AttributeColumn, isAttribute, type UserColumn } from '../../../shared/users/user-columns.ts'
import { isEmail, isPlainText } from '../../../shared/utilities/texts.ts'
import type { Header } from '../formats/columns.ts'
import { arrayLiteral, type CopyValue, copyLine } from '../formats/copy-format.ts'
import type { SheetRow } from '../formats/sheet.ts'
import { CheckedCells, ROW_ERRORS_MAX, toStorableCells } from './checked-cells.ts'

const TEXT_MAX = 255
const ATTRIBUTE_MAX = 1024
/** Per file; after that each row reports only its first error. */
const FILE_ERRORS_MAX = 20_000
const ID_MAX = Number.MAX_SAFE_INTEGER

/** Returns the function that writes the line of each row of a sheet with this header. */
export function createLineWriter(header: Header, keepsCells = false): (row: SheetRow) => string {
  const attributes = [...header.keys()].filter(isAttribute)
  let errors = 0
  const valuesOf = (row: SheetRow) => {
    const cells = new CheckedCells(row, header, errors < FILE_ERRORS_MAX ? ROW_ERRORS_MAX : 1)
    const values = userValues(row, cells, attributes)
    errors += cells.shownErrors
    return values
  }
  if (!keepsCells) return (row) => copyLine(valuesOf(row))
  return (row) => copyLine([...valuesOf(row), arrayLiteral(toStorableCells(row.cells))])
}

type UserCells = CheckedCells<UserColumn>

function userValues(row: SheetRow, cells: UserCells, attributes: AttributeColumn[]): CopyValue[] {
  return [
    row.number,
    idOf(cells),
    emailOf(cells),
    textOf(cells, 'upn', message`the upn`),
    textOf(cells, 'name', message`the name`),
    attributes.length > 0 ? attributesOf(cells, attributes) : null,
    listOf(cells, 'groups', message`the group name`),
    listOf(cells, 'license_plates', message`the license plate`),
    cells.toJson(),
  ]
}

function idOf(cells: UserCells): number | null {
  const text = cells.textOf('id')
  if (!text) return null
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (Math.abs(number) <= ID_MAX) return number
  cells.addError('id', message`the id must be a whole number`, text)
  return null
}

function emailOf(cells: UserCells): string | null {
  const text = cells.textOf('email') ?? ''
  if (text === '') cells.addError('email', message`the email is required`)
  else if (cells.checkText('email', message`the email`, text, TEXT_MAX) && !isEmail(text)) {
    cells.addError('email', message`the email must be a valid e-mail address`, text)
  }
  return text !== '' && isPlainText(text) ? text : null
}

function textOf(cells: UserCells, column: 'upn' | 'name', subject: Message): string | null {
  const text = cells.textOf(column)
  return text ? cells.checkText(column, subject, text, TEXT_MAX) : null
}

/** An empty cell is null; a value that breaks a rule is left out. */
function attributesOf(cells: UserCells, columns: AttributeColumn[]): string {
  const values: Partial<Record<AttributeColumn, string | null>> = {}
  for (const column of columns) {
    const text = cells.textOf(column)
    if (!text) values[column] = null
    else if (cells.checkText(column, message`the ${column}`, text, ATTRIBUTE_MAX) !== null)
      values[column] = text
  }
  return JSON.stringify(values)
}

function listOf(cells: UserCells, column: 'groups' | 'license_plates', subject: Message): string | null {
  const items = cells
    .textOf(column)
    ?.split(';')
    .map((item) => item.trim())
  if (!items) return null
  const distinct = [...new Set(items)].filter((item) => item !== '')
  const stored = distinct.filter((item) => cells.checkText(column, subject, item, TEXT_MAX) !== null)
  return arrayLiteral(stored)
}
