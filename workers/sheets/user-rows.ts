// The rules of a row that need no database, and its line for the staging table. A row that breaks a rule still carries
// whom it names, so that SQL can tell who is in the file.
import { countCharacters, isEmail, isPlainText, PLAIN_TEXT_RULE } from '../../shared/texts.ts'
import { type AttributeColumn, isAttribute, type UserColumn } from '../../shared/user-columns.ts'
import type { Header } from './columns.ts'
import { arrayLiteral, type CopyValue, copyLine } from './copy-format.ts'
import type { Cells, SheetRow } from './sheet.ts'

type Errors = Partial<Record<UserColumn, string[]>>

const TEXT_MAX = 255
const ATTRIBUTE_MAX = 1024
const QUOTED_MAX = 60
// A cell of one character can have a sentence of a hundred: without an end, two megabytes would become a hundred.
const ROW_ERRORS_MAX = 10
/** Of a file: once there are so many, each row tells its first one only. */
const FILE_ERRORS_MAX = 20_000
const ID_MAX = Number.MAX_SAFE_INTEGER

// Nearly every text: short, of printable ASCII. To see that by one pattern saves the checks.
const SIMPLE = /^[ -~]{1,255}$/

/** Writes the line of each row of a sheet with this header. */
export function createLineWriter(header: Header, keepsCells = false): (row: SheetRow) => string {
  const attributes = [...header.keys()].filter(isAttribute)
  let errors = 0
  const valuesOf = (row: SheetRow) => {
    const checked = checkRow(row, header, errors < FILE_ERRORS_MAX ? ROW_ERRORS_MAX : 1)
    const values = userValues(row, checked, attributes)
    errors += checked.shownErrors()
    return values
  }
  if (!keepsCells) return (row) => copyLine(valuesOf(row))
  return (row) => copyLine([...valuesOf(row), arrayLiteral(toStorableCells(row.cells))])
}

/** The cells as Postgres can keep them: none is absent, and what no text of it can hold is marked. */
export function toStorableCells(cells: Cells): string[] {
  return Array.from(cells, (cell) => (cell ?? '').toWellFormed().replaceAll('\0', '\ufffd'))
}

function userValues(
  row: SheetRow,
  checked: ReturnType<typeof checkRow>,
  attributes: AttributeColumn[],
): CopyValue[] {
  return [
    row.number,
    checked.id(),
    checked.email(),
    checked.text('upn', 'upn'),
    checked.text('name', 'name'),
    attributes.length > 0 ? checked.attributes(attributes) : null,
    checked.list('groups', 'group name'),
    checked.list('license_plates', 'license plate'),
    checked.errors(),
  ]
}

function checkRow(row: SheetRow, header: Header, errorsMax: number) {
  const errors: Errors = {}
  let shown = 0
  let left = 0
  const cellOf = (column: UserColumn) => {
    const index = header.get(column)
    return index === undefined ? undefined : (row.cells[index] ?? '').trim()
  }
  const addError = (column: UserColumn, rule: string, found?: string) => {
    if (shown === errorsMax) {
      left++
      return
    }
    shown++
    const quoted = found === undefined ? '' : ` (it is ${quote(found)})`
    errors[column] = [...(errors[column] ?? []), `Row ${row.number}: ${rule}${quoted}.`]
  }
  /** Null where the text breaks a rule, so that only what can be stored goes on. */
  const checkText = (column: UserColumn, subject: string, text: string, max: number): string | null => {
    if (SIMPLE.test(text)) return text
    if (!isPlainText(text)) addError(column, `the ${subject} ${PLAIN_TEXT_RULE}`)
    else if (countCharacters(text) > max)
      addError(column, `the ${subject} must be at most ${max} characters long`)
    else return text
    return null
  }

  return {
    id(): number | null {
      const text = cellOf('id')
      if (!text) return null
      const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
      if (Math.abs(number) <= ID_MAX) return number
      addError('id', `the id must be a whole number`, text)
      return null
    },
    email(): string | null {
      const text = cellOf('email') ?? ''
      if (text === '') addError('email', 'the email is required')
      else if (checkText('email', 'email', text, TEXT_MAX) && !isEmail(text)) {
        addError('email', 'the email must be a valid e-mail address', text)
      }
      return text !== '' && isPlainText(text) ? text : null
    },
    text(column: 'upn' | 'name', subject: string): string | null {
      const text = cellOf(column)
      return text ? checkText(column, subject, text, TEXT_MAX) : null
    },
    /** An empty cell is a null here; what breaks a rule is left out. */
    attributes(columns: AttributeColumn[]): string {
      const values: Partial<Record<AttributeColumn, string | null>> = {}
      for (const column of columns) {
        const text = cellOf(column)
        if (!text) values[column] = null
        else if (checkText(column, column, text, ATTRIBUTE_MAX) !== null) values[column] = text
      }
      return JSON.stringify(values)
    },
    list(column: 'groups' | 'license_plates', subject: string): string | null {
      const items = cellOf(column)
        ?.split(';')
        .map((item) => item.trim())
      if (!items) return null
      const distinct = [...new Set(items)].filter((item) => item !== '')
      const stored = distinct.filter((item) => checkText(column, subject, item, TEXT_MAX) !== null)
      return arrayLiteral(stored)
    },
    shownErrors: () => shown,
    errors(): string | null {
      const last = Object.values(errors).at(-1)
      if (left > 0) last?.push(`Row ${row.number}: ${left} more ${left === 1 ? 'error' : 'errors'}.`)
      return last ? JSON.stringify(errors) : null
    },
  }
}

function quote(text: string): string {
  const start = [...text.slice(0, 2 * QUOTED_MAX).toWellFormed()].slice(0, QUOTED_MAX).join('')
  const shown = start.replace(/\p{Cc}+/gu, ' ')
  return `“${shown}${start.length < text.length ? '…' : ''}”`
}
