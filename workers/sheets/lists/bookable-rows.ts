// Checks a row of a list of desks, rooms and parking by the rules that need no database, and writes its line
// for the staging table. An empty cell is null: it leaves its field alone.
import {
  type BookableColumn,
  bookableColumns,
  parseFlag,
  parseStatus,
  parseType,
} from '../../../shared/bookables/bookable-columns.ts'
import { message } from '../../../shared/messages/message.ts'
import { hasVisibleText } from '../../../shared/utilities/texts.ts'
import type { Header, KnownColumns } from '../formats/columns.ts'
import { arrayLiteral, copyLine } from '../formats/copy-format.ts'
import type { SheetRow } from '../formats/sheet.ts'
import { CheckedCells, toStorableCells } from './checked-cells.ts'

type BookableCells = CheckedCells<BookableColumn>

export const BOOKABLE_LIST: KnownColumns<BookableColumn> = { nameEach: bookableColumns, required: 'name' }

// As in shared/bookables/bookables.ts, which is too large to load in this process.
const TEXT_MAX = 255
const TAGS_MAX = 100
const CAPACITY_MAX = 2 ** 31 - 1

/** Returns the function that writes the line of each row of a sheet with this header. */
export function createBookableWriter(
  header: Header<BookableColumn>,
  keepsCells: boolean,
): (row: SheetRow) => string {
  return (row) => {
    const cells = new CheckedCells(row, header)
    const values = [
      row.number,
      nameOf(cells),
      wordOf(cells, 'type', parseType),
      descriptionOf(cells),
      tagsOf(cells),
      wordOf(cells, 'status', parseStatus),
      capacityOf(cells),
      wordOf(cells, 'requires_vehicle', parseFlag),
      ...positionOf(cells),
      cells.toJson(),
    ]
    return copyLine(keepsCells ? [...values, arrayLiteral(toStorableCells(row.cells))] : values)
  }
}

function nameOf(cells: BookableCells): string | null {
  const text = cells.textOf('name') ?? ''
  if (hasVisibleText(text)) return cells.checkText('name', message`the name`, text, TEXT_MAX)
  cells.addError('name', message`the name is required`)
  return null
}

function descriptionOf(cells: BookableCells): string | null {
  const text = cells.textOf('description')
  return text ? cells.checkText('description', message`the description`, text, TEXT_MAX) : null
}

const RULES = {
  type: message`the type must be desk, parking spot, meeting room or home office`,
  status: message`the status must be free or blocked`,
  requires_vehicle: message`the need of a vehicle must be yes or no`,
}

function wordOf<Word extends string>(
  cells: BookableCells,
  column: keyof typeof RULES,
  parse: (text: string) => Word | undefined,
): Word | null {
  const text = cells.textOf(column)
  if (!text) return null
  const word = parse(text)
  if (word === undefined) cells.addError(column, RULES[column], text)
  return word ?? null
}

/** Tags are separated by commas or semicolons. */
function tagsOf(cells: BookableCells): string | null {
  const tags = (cells.textOf('tags') ?? '')
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const distinct = [...new Set(tags)]
  if (distinct.length === 0) return null
  if (distinct.length > TAGS_MAX) {
    cells.addError('tags', message`there must be at most ${TAGS_MAX} tags`)
    return null
  }
  return arrayLiteral(
    distinct.filter((tag) => cells.checkText('tags', message`the tag`, tag, TEXT_MAX) !== null),
  )
}

function capacityOf(cells: BookableCells): number | null {
  const text = cells.textOf('capacity')
  if (!text) return null
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= CAPACITY_MAX) return number
  cells.addError('capacity', message`the capacity must be a whole number`, text)
  return null
}

/** As shares of the floor plan's width and height; the cells are percentages. */
function positionOf(cells: BookableCells): [x: number | null, y: number | null] {
  const [x, y] = [shareOf(cells, 'x'), shareOf(cells, 'y')]
  if (x !== undefined && y !== undefined && (x === null) !== (y === null))
    cells.addError(x === null ? 'x' : 'y', message`x and y must be given together`)
  return [x ?? null, y ?? null]
}

/** Undefined if it breaks a rule. */
function shareOf(cells: BookableCells, column: 'x' | 'y'): number | null | undefined {
  const text = cells.textOf(column)
  if (!text) return null
  const [, digits] = /^(\d{1,3}(?:[.,]\d{1,15})?) ?%?$/.exec(text) ?? []
  const percent = digits === undefined ? Number.NaN : Number(digits.replace(',', '.'))
  // Six decimals are enough, and avoid shares such as 0.32999999999999996.
  if (percent <= 100) return Math.round(percent * 10_000) / 1_000_000
  cells.addError(column, message`${column} must be a percentage from 0 to 100`, text)
  return undefined
}
