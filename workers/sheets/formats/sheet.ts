// Defines the output of every reader: the rows of a sheet as texts, in batches, with their row numbers in the sheet.
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'

/** The cells of a row, by column index from zero. An empty cell is undefined or an empty text. */
export type RowCells = (string | undefined)[]

export type SheetRow = { number: number; cells: RowCells }

/** The rows of a sheet, in batches. A reader may omit rows without any text. */
export type Sheet = AsyncIterable<SheetRow[]>

/** The limit on rows in a spreadsheet. */
const ROW_NUMBER_MAX = 1_048_576
const COLUMNS_MAX = 16_384

/** The limit on characters in a row: more than 30 cells of Excel's maximum length. */
export const ROW_CHARACTERS_MAX = 1_000_000

export function createFileRefusal(problem: Message): Refusal {
  return invalidFields({ file: [problem] })
}

export function createTooLargeRefusal(problem: Message): Refusal {
  return new Refusal('too_large', problem)
}

export function createRowTooLongRefusal(number: number): Refusal {
  return createTooLargeRefusal(
    message`Row ${number} of the file is longer than 1,000,000 characters, the maximum allowed.`,
  )
}

/**
 * Collects the rows that a reader finds, and refuses a file that exceeds the limits of a spreadsheet, because it is
 * broken or hostile.
 */
export class RowCollector {
  #rows: SheetRow[] = []
  #row: SheetRow = { number: 0, cells: [] }
  #characters = 0

  start(number: number) {
    checkRowNumber(number)
    this.#row = { number, cells: [] }
    this.#characters = 0
  }

  /** Counts the characters before cells are expanded, because ten thousand cells may share one long text. */
  countCharacters(number: number) {
    this.#characters += number
    if (this.#characters > ROW_CHARACTERS_MAX) throw createRowTooLongRefusal(this.#row.number)
  }

  /** Sets the text of a cell. Columns are counted from zero. */
  setCell(column: number, text: string) {
    if (text === '') return
    if (!(column >= 0)) throw createFileRefusal(message`The file is damaged: a cell has no column.`)
    if (column >= COLUMNS_MAX)
      throw createTooLargeRefusal(message`The file has more than 16,384 columns, the maximum allowed.`)
    this.#row.cells[column] = text
  }

  /** Ends the current row, which occurs this many times in the sheet. */
  end(times = 1) {
    const { number, cells } = this.#row
    checkRowNumber(number + times - 1)
    // At the end of a sheet, one row often stands for a million empty ones.
    const shown = cells.length > 0 ? times : 0
    for (let more = 0; more < shown; more++) this.#rows.push({ number: number + more, cells })
  }

  /** Returns the rows that were collected since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }
}

function checkRowNumber(number: number) {
  if (!Number.isInteger(number) || number < 1)
    throw createFileRefusal(message`The file is damaged: a row has no number.`)
  if (number > ROW_NUMBER_MAX)
    throw createTooLargeRefusal(message`The file has more than 1,048,576 rows, the maximum allowed.`)
}

const COMPOUND_SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Returns whether a file has the container format of xls files. */
export function isCompoundFile(head: Buffer): boolean {
  return head.subarray(0, COMPOUND_SIGNATURE.length).equals(COMPOUND_SIGNATURE)
}
