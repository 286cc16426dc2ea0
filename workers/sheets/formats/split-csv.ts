// Splits csv into records. Hand-written: it accepts every kind of line end, even mixed, and refuses a record
// that never ends. papaparse takes one kind of line end per file.
import { message } from '../../../shared/messages/message.ts'
import { ROW_CHARACTERS_MAX, refuseFile, rowTooLong } from './sheet.ts'

export class CsvSplitter {
  readonly #delimiter: string
  /** A field and what ends it. It may begin with a quoted part, in which two quotes stand for one. */
  readonly #field: RegExp
  /** The beginning of a record that is not complete. */
  #rest = ''
  #count = 0
  #hasLoneReturns = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    const end = delimiter === '|' ? '\\|' : delimiter
    // A return at the end of the text may belong to a line feed that comes later.
    this.#field = new RegExp(
      `(?:"([^"]*(?:""[^"]*)*)"(?!")|(?!"))([^\\r\\n${end}]*)(${end}|\\r\\n|\\r(?!$)|\\n)`,
      'y',
    )
  }

  /** Returns the records that this piece of text completes. */
  push(piece: string): string[][] {
    const text = this.#rest + piece
    const records: string[][] = []
    let at = this.#takeLines(text, 0, records)
    for (let next = this.#takeRecord(text, at, records); next > at; ) {
      at = text.slice(at, next).includes('"') ? this.#takeLines(text, next, records) : next
      next = this.#takeRecord(text, at, records)
    }
    this.#rest = text.slice(at)
    // Twice: each character may be a quote that is written as two.
    if (this.#rest.length > 2 * ROW_CHARACTERS_MAX) throw rowTooLong(this.#count + 1)
    return records
  }

  /** Returns the last record if it has no line end. */
  end(): string[][] {
    const records = this.#rest === '' ? [] : this.push('\n')
    if (this.#rest === '') return records
    throw refuseFile(message`Row ${this.#count + 1} of the file has a quote that is never closed.`)
  }

  // Both take what begins at the position, and return the next position: the same if they find nothing.

  // Whole records without quotes, as nearly all are, at the speed of String.split.
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
    // Delimiters alone can make a record too long, too.
    const characters = record.reduce((sum, { length }) => sum + length + 1, 0)
    if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(this.#count + 1)
    records.push(record)
    this.#count++
    return this.#field.lastIndex
  }
}
