// Checks a row in a list of users by the rules that need no database, and writes its line for the staging
// table. The line of a row with errors still identifies its user, so that the import knows who is in the
// file.
import {
  type AttributeColumn,
  getTextField,
  isAttribute,
  USER_TEXTS,
  type UserColumn,
} from '../../../shared/imports/user-columns.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { normalizePlate } from '../../../shared/users/plates.ts'
import { hasVisibleText, isEmail, isPlainText } from '../../../shared/utilities/texts.ts'
import { type CopyValue, formatArrayLiteral } from '../formats/copy-format.ts'
import type { CheckedCells, SheetHeader } from './checked-cells.ts'

const TEXT_LENGTH_MAX = 255
const ATTRIBUTE_LENGTH_MAX = 1024
const ID_MAX = Number.MAX_SAFE_INTEGER

type UserCells = CheckedCells<UserColumn>

/** SQL for the columns of the staging table, in the order in which the lines for COPY contain them. If a
 * column is null, the cell was empty or breaks a rule. */
export const STAGED_USER_COLUMNS = `id bigint, email text, ${USER_TEXTS.map((name) => `${name} text`).join(', ')},
  attributes jsonb, groups text[], license_plates text[]`

export function createUserReader(header: SheetHeader<UserColumn>): (cells: UserCells) => CopyValue[] {
  const attributes = [...header.keys()].filter(isAttribute)
  return (cells) => [
    readId(cells),
    readEmail(cells),
    ...USER_TEXTS.map((name) => readText(cells, name)),
    attributes.length > 0 ? readAttributes(cells, attributes) : null,
    readList(cells, 'groups', message`the group name`),
    readList(cells, 'license_plates', message`the license plate`),
  ]
}

function readId(cells: UserCells): number | null {
  const text = cells.textOf('id')
  if (!text) return null
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (Math.abs(number) <= ID_MAX) return number
  cells.addError('id', message`the id must be a whole number`, text)
  return null
}

function readEmail(cells: UserCells): string | null {
  const text = cells.textOf('email') ?? ''
  if (text === '') cells.addError('email', message`the email is required`)
  else if (cells.checkText('email', message`the email`, text, TEXT_LENGTH_MAX) && !isEmail(text)) {
    cells.addError('email', message`the email must be a valid e-mail address`, text)
  }
  return text !== '' && isPlainText(text) ? text : null
}

function readText(cells: UserCells, name: (typeof USER_TEXTS)[number]): string | null {
  const text = cells.textOf(name)
  const { subject, charactersMax } = getTextField(name)
  return text ? findVisibleText(cells.checkText(name, subject, text, charactersMax)) : null
}

/** Returns null for a text that looks empty to a person, because the API refuses such a text as empty. */
const findVisibleText = (text: string | null) => (text !== null && hasVisibleText(text) ? text : null)

/**
 * Returns attributes as JSON. The value is null if the cell is empty. An attribute whose value breaks a rule is
 * omitted.
 */
function readAttributes(cells: UserCells, columns: AttributeColumn[]): string {
  const values: Partial<Record<AttributeColumn, string | null>> = {}
  for (const column of columns) {
    const text = cells.textOf(column)
    if (!text) values[column] = null
    else if (cells.checkText(column, message`the ${column}`, text, ATTRIBUTE_LENGTH_MAX) !== null)
      values[column] = text
  }
  return JSON.stringify(values)
}

function readList(cells: UserCells, column: 'groups' | 'license_plates', subject: Message): string | null {
  const items = cells
    .textOf(column)
    ?.split(';')
    .map((item) => (column === 'license_plates' ? normalizePlate(item) : item.trim()))
  if (!items) return null
  const distinct = [...new Set(items)].filter((item) => item !== '')
  return formatArrayLiteral(
    distinct.filter(
      (item) => findVisibleText(cells.checkText(column, subject, item, TEXT_LENGTH_MAX)) !== null,
    ),
  )
}
