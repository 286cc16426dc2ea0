// Checks a row in a list of desks, rooms and parking spots by the rules that need no database. An empty cell leaves its
// field unchanged.
import {
  BOOKABLE_HEADINGS,
  type BookableColumn,
  type BookableTypeWord,
  type FlagWord,
  parseBookableStatus,
  parseBookableType,
  parseFlag,
  type StatusWord,
} from '../../../shared/bookables/bookable-columns.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { hasVisibleText } from '../../../shared/utilities/texts.ts'
import type { CopyValue } from '../formats/copy-format.ts'
import type { CheckedCells, SheetHeader } from './checked-cells.ts'

type BookableCells = CheckedCells<BookableColumn>

/** The fields that a row sets. `x` and `y` are shares of the floor plan's width and height. */
export type BookableRowFields = {
  description?: string
  type?: BookableTypeWord
  tags?: string[]
  status?: StatusWord
  capacity?: number
  requires_vehicle?: FlagWord
  x?: number
  y?: number
}

/** SQL for the columns of the staging table, in the order in which the lines for COPY contain them. */
export const STAGED_BOOKABLE_COLUMNS = 'name text, given jsonb'

// Repeats the limit in shared/bookables/bookables.ts, because that file is too large to load in this process.
const TEXT_LENGTH_MAX = 255
const TAGS_MAX = 100
const CAPACITY_MAX = 2 ** 31 - 1

/** Functions that read the cells of a row, unless they are empty. The functions return null if a cell breaks
 * a rule, and undefined if it sets nothing. */
const CELL_READERS: Record<
  Exclude<BookableColumn, 'name'>,
  (cells: BookableCells, text: string) => unknown
> = {
  type: createWordReader(
    'type',
    parseBookableType,
    message`the type must be desk, parking spot, meeting room or home office`,
  ),
  description: (cells, text) =>
    cells.checkText('description', message`the description`, text, TEXT_LENGTH_MAX),
  tags: readTags,
  status: createWordReader('status', parseBookableStatus, message`the status must be free or blocked`),
  capacity(cells, text) {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (number <= CAPACITY_MAX) return number
    return cells.addError('capacity', message`the capacity must be a whole number`, text)
  },
  requires_vehicle: createWordReader(
    'requires_vehicle',
    parseFlag,
    message`whether a vehicle is required must be yes or no`,
  ),
  x: createShareReader('x'),
  y: createShareReader('y'),
}

export function createBookableReader(
  header: SheetHeader<BookableColumn>,
): (cells: BookableCells) => CopyValue[] {
  const columns = Object.keys(BOOKABLE_HEADINGS) as BookableColumn[]
  const present = columns.filter((column) => column !== 'name' && header.has(column))
  return (cells) => {
    const name = readName(cells)
    const given: Record<string, unknown> = {}
    for (const column of present as Array<keyof typeof CELL_READERS>) {
      const text = cells.textOf(column)
      if (text) given[column] = CELL_READERS[column](cells, text)
    }
    const { x, y } = given
    if (x !== null && y !== null && (x === undefined) !== (y === undefined))
      cells.addError(x === undefined ? 'x' : 'y', message`x and y must be given together`)
    return [name, JSON.stringify(given)]
  }
}

function readName(cells: BookableCells): string | null {
  const text = cells.textOf('name') ?? ''
  if (hasVisibleText(text)) return cells.checkText('name', message`the name`, text, TEXT_LENGTH_MAX)
  return cells.addError('name', message`the name is required`)
}

function createWordReader(
  column: BookableColumn,
  parse: (text: string) => string | undefined,
  rule: Message,
) {
  return (cells: BookableCells, text: string) => parse(text) ?? cells.addError(column, rule, text)
}

/** Reads tags. Commas or semicolons separate them. */
function readTags(cells: BookableCells, text: string): string[] | null | undefined {
  const tags = text.split(/[,;]/).map((tag) => tag.trim())
  const distinct = [...new Set(tags.filter((tag) => tag !== ''))]
  if (distinct.length === 0) return undefined
  if (distinct.length > TAGS_MAX)
    return cells.addError('tags', message`there must be at most ${TAGS_MAX} tags`)
  return distinct.filter((tag) => cells.checkText('tags', message`the tag`, tag, TEXT_LENGTH_MAX) !== null)
}

/** Returns a function that reads a cell with a percentage as a share. */
function createShareReader(column: 'x' | 'y') {
  return (cells: BookableCells, text: string): number | null => {
    const [, digits] = /^(\d{1,3}(?:[.,]\d{1,15})?) ?%?$/.exec(text) ?? []
    const percent = digits === undefined ? Number.NaN : Number(digits.replace(',', '.'))
    // Rounds to six decimals, which are enough, to avoid values such as 0.32999999999999996.
    if (percent <= 100) return Math.round(percent * 10_000) / 1_000_000
    return cells.addError(column, message`${column} must be a percentage from 0 to 100`, text)
  }
}
