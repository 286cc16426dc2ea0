// The output of every reader: the rows of a sheet as texts, in batches, with the sheet's row numbers.
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'

/** By column from 0; an empty cell is undefined or an empty text. */
export type Cells = (string | undefined)[]

export type SheetRow = { number: number; cells: Cells }

/** Rows without any text may be left out. */
export type Sheet = AsyncIterable<SheetRow[]>

/** The maximum size of a spreadsheet. */
const ROW_NUMBER_MAX = 1_048_576
const COLUMNS_MAX = 16_384

/** More than a real row has: 30 cells of Excel's maximum length. */
export const ROW_CHARACTERS_MAX = 1_000_000

export function refuseFile(problem: Message): Refusal {
  return invalid({ file: [problem] })
}

export function tooLarge(problem: Message): Refusal {
  return new Refusal('too_large', problem)
}

export function rowTooLong(number: number): Refusal {
  return tooLarge(message`Row ${number} of the file is longer than 1,000,000 characters, which is the limit.`)
}

/** Collects the rows that a reader finds, within the limits of a sheet: beyond them, it is broken or hostile. */
export class RowCollector {
  #rows: SheetRow[] = []
  #row: SheetRow = { number: 0, cells: [] }
  #characters = 0

  start(number: number) {
    checkRowNumber(number)
    this.#row = { number, cells: [] }
    this.#characters = 0
  }

  /** Of the row: ten thousand cells may share one long text. */
  countCharacters(number: number) {
    this.#characters += number
    if (this.#characters > ROW_CHARACTERS_MAX) throw rowTooLong(this.#row.number)
  }

  /** Columns count from zero. */
  setCell(column: number, text: string) {
    if (text === '') return
    if (!(column >= 0)) throw refuseFile(message`The file is damaged: a cell has no column.`)
    if (column >= COLUMNS_MAX)
      throw tooLarge(message`The file has more than 16,384 columns, which is the limit.`)
    this.#row.cells[column] = text
  }

  /** Ends the row; the sheet has it so many times. */
  end(times = 1) {
    const { number, cells } = this.#row
    checkRowNumber(number + times - 1)
    // A sheet often ends with one row that stands for a million empty ones.
    const shown = cells.length > 0 ? times : 0
    for (let more = 0; more < shown; more++) this.#rows.push({ number: number + more, cells })
  }

  /** The rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }
}

function checkRowNumber(number: number) {
  if (!Number.isInteger(number) || number < 1)
    throw refuseFile(message`The file is damaged: a row has no number.`)
  if (number > ROW_NUMBER_MAX)
    throw tooLarge(message`The file has more than 1,048,576 rows, which is the limit.`)
}

const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** The container format of xls. */
export function isCompoundFile(head: Buffer): boolean {
  return head.subarray(0, COMPOUND.length).equals(COMPOUND)
}
