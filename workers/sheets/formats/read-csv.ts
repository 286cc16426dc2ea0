// Reads csv and txt files: detects the encoding and the delimiter, and splits the text into records. Hand-written, to
// accept every kind of line end, even mixed, and to refuse a record that never ends. papaparse accepts only one kind of
// line end in a file.
import { TextDecoder } from 'node:util'
import { message } from '../../../shared/messages/message.ts'
import {
  createFileRefusal,
  createRowTooLongRefusal,
  ROW_CHARACTERS_MAX,
  type RowCells,
  type Sheet,
  type SheetRow,
} from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

/** Returns the column that each heading stands for, or undefined for an unknown heading. */
export type NameColumns = (headings: RowCells) => Array<string | undefined>

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const DELIMITERS = [',', ';', '\t', '|']

export async function* readCsv(file: SpooledFile, nameColumns: NameColumns, isForeign: boolean): Sheet {
  const texts = decode(file, await findEncoding(file))
  let splitter: CsvSplitter | undefined
  let number = 0
  const toRow = (record: string[]): SheetRow => ({ number: ++number, cells: record })
  for await (const text of texts) {
    const [named, rest] = splitter ? [undefined, text] : readDelimiterLine(text)
    splitter ??= new CsvSplitter(named ?? findDelimiter(rest, nameColumns, isForeign))
    yield splitter.push(rest).map(toRow)
  }
  if (splitter) yield splitter.end().map(toRow)
}

// Reads the line that names the delimiter. Excel may write it as the first line, and reads but does not show it, so the
// line is not a row.
function readDelimiterLine(start: string): [delimiter: string | undefined, rest: string] {
  const [line = '', delimiter] = /^"?sep=([,;\t|])"?(?:\r\n|\r|\n|$)/i.exec(start) ?? []
  return [delimiter, start.slice(line.length)]
}

// Finds the delimiter. The right one yields the most known columns. A file with a single column has no delimiter.
function findDelimiter(start: string, nameColumns: NameColumns, isForeign: boolean): string {
  const known = DELIMITERS.map(
    (delimiter) => nameColumns(readFirstRecord(start, delimiter)).filter(Boolean).length,
  )
  const found = isForeign && !known.some(Boolean) ? DELIMITERS.map((each) => countCells(start, each)) : known
  return DELIMITERS[found.indexOf(Math.max(...found))] ?? ','
}

const COUNTED_RECORDS_MAX = 20

function countCells(start: string, delimiter: string): number {
  const records = new CsvSplitter(delimiter).push(`${start}\n`).slice(0, COUNTED_RECORDS_MAX)
  return records.flat().filter((cell) => cell.trim() !== '').length
}

function readFirstRecord(start: string, delimiter: string): string[] {
  // The text may be a single line without a line end.
  const records = new CsvSplitter(delimiter).push(`${start}\n`)
  return records.find((record) => record.some((cell) => cell.trim() !== '')) ?? []
}

async function findEncoding(file: SpooledFile): Promise<Encoding> {
  const { head } = file
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  for await (const chunk of file.read()) {
    if (chunk.includes(0))
      throw createFileRefusal(
        message`The file is not a csv, txt, ods, xls or xlsx file: it contains NUL bytes.`,
      )
    isUtf8 &&= canDecode(decoder, chunk)
  }
  return isUtf8 && canDecode(decoder) ? 'utf-8' : 'windows-1252'
}

function canDecode(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined })
    return true
  } catch {
    return false
  }
}

async function* decode(file: SpooledFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of file.read()) {
      const text = decoder.decode(chunk, { stream: true })
      if (text !== '') yield text
    }
    decoder.decode()
  } catch (error) {
    if (error instanceof TypeError)
      throw createFileRefusal(message`The file is not valid ${encoding.toUpperCase()}.`)
    throw error
  }
}

export class CsvSplitter {
  readonly #delimiter: string
  /**
   * Matches a field, and the delimiter or line end after it. A field may begin with a quoted part, in which two quotes
   * stand for one.
   */
  readonly #field: RegExp
  /** The beginning of a record that is not complete yet. */
  #rest = ''
  #count = 0
  #hasLoneReturns = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    const end = delimiter === '|' ? '\\|' : delimiter
    // A carriage return at the end of the text may be followed by its line feed in the next chunk, so it does not end a
    // record yet.
    this.#field = new RegExp(
      `(?:"([^"]*(?:""[^"]*)*)"(?!")|(?!"))([^\\r\\n${end}]*)(${end}|\\r\\n|\\r(?!$)|\\n)`,
      'y',
    )
  }

  /** Returns the records that are complete with this chunk of text. */
  push(piece: string): string[][] {
    const text = this.#rest + piece
    const records: string[][] = []
    let at = this.#takeLines(text, 0, records)
    for (let next = this.#takeRecord(text, at, records); next > at; ) {
      at = text.slice(at, next).includes('"') ? this.#takeLines(text, next, records) : next
      next = this.#takeRecord(text, at, records)
    }
    this.#rest = text.slice(at)
    // Allows twice the length, because two quotes may stand for each character.
    if (this.#rest.length > 2 * ROW_CHARACTERS_MAX) throw createRowTooLongRefusal(this.#count + 1)
    return records
  }

  /** Returns the last record if there is no line end after it. */
  end(): string[][] {
    const records = this.#rest === '' ? [] : this.push('\n')
    if (this.#rest === '') return records
    throw createFileRefusal(message`Row ${this.#count + 1} of the file has a quote that is never closed.`)
  }

  // The next two methods read what begins at a position of the text. They return the next position, which is the same
  // one if they find nothing.

  // Reads whole records that contain no quotes, at the speed of String.split. Nearly all records contain none.
  #takeLines(text: string, at: number, records: string[][]): number {
    if (this.#hasLoneReturns) return at
    const quote = text.indexOf('"', at)
    const unquoted = quote < 0 ? text.slice(at) : text.slice(at, quote)
    const length = unquoted.lastIndexOf('\n') + 1
    if (length === 0 || length > ROW_CHARACTERS_MAX) return at
    const lines = unquoted.slice(0, length).replaceAll('\r\n', '\n')
    this.#hasLoneReturns = lines.includes('\r')
    if (this.#hasLoneReturns) return at
    for (const line of lines.slice(0, -1).split('\n')) {
      records.push(line.split(this.#delimiter))
      this.#count++
    }
    return at + length
  }

  #takeRecord(text: string, at: number, records: string[][]): number {
    const record: string[] = []
    this.#field.lastIndex = at
    for (;;) {
      const found = this.#field.exec(text)
      if (!found) return at
      const [, quoted, plain = '', end] = found
      record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + plain)
      if (end !== this.#delimiter) break
    }
    // A record can also be too long because of its delimiters alone.
    const characters = record.reduce((sum, { length }) => sum + length + 1, 0)
    if (characters > ROW_CHARACTERS_MAX) throw createRowTooLongRefusal(this.#count + 1)
    records.push(record)
    this.#count++
    return this.#field.lastIndex
  }
}
