// Splits csv into records, by hand: every kind of line end counts, mixed ones too, each character is looked at once,
// and a record that never ends is refused. papaparse takes one kind of line end for a whole file, and begins an
// unfinished record anew with every piece of it.
import { message } from '../../shared/messages/message.ts'
import { ROW_CHARACTERS_MAX, refuseFile, rowTooLong } from './sheet.ts'

export class CsvSplitter {
  readonly #delimiter: string
  /** A run of signs that mean nothing. */
  readonly #plain: RegExp
  #done: string[][] = []
  #record: string[] = []
  #field = ''
  #count = 0
  #characters = 0
  /** Where in a field the next character is. */
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  #isAfterReturn = false
  /** Then every sign is looked at. */
  #hasLoneReturns = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.#plain = new RegExp(`[^\\r\\n${delimiter}]+`, 'y')
  }

  /** Returns the records that are complete with this piece of text. */
  push(text: string): string[][] {
    let at = 0
    while (at < text.length) {
      at = this.#takeLines(text, at)
      if (at === text.length) break
      at = this.#state === 'quoted' ? this.#takeQuoted(text, at) : this.#takeSign(text, at)
    }
    // Delimiters alone make a record long, too.
    if (this.#characters > ROW_CHARACTERS_MAX) throw rowTooLong(this.#count + 1)
    return this.#takeDone()
  }

  /** Returns the last record, where no line end closes it. */
  end(): string[][] {
    if (this.#state === 'quoted') {
      throw refuseFile(message`Row ${this.#count + 1} of the file has a quote that is never closed.`)
    }
    if (this.#record.length > 0 || this.#state !== 'start') this.#endRecord()
    return this.#takeDone()
  }

  // Each of these takes what begins at the position, and returns the position behind it.

  // Whole records in which nothing is quoted, as nearly all are, at the speed of the engine's own splitting.
  #takeLines(text: string, at: number): number {
    if (this.#hasLoneReturns || this.#isAfterReturn || this.#state !== 'start' || this.#record.length > 0)
      return at
    const quote = text.indexOf('"', at)
    const end = text.lastIndexOf('\n', quote < 0 ? text.length : quote) + 1
    if (end <= at || end - at > ROW_CHARACTERS_MAX) return at
    const lines = text.slice(at, end).replaceAll('\r\n', '\n')
    this.#hasLoneReturns = lines.includes('\r')
    if (this.#hasLoneReturns) return at
    const records = lines.slice(0, -1).split('\n')
    for (const record of records) this.#done.push(record.split(this.#delimiter))
    this.#count += records.length
    return end
  }

  #takeQuoted(text: string, at: number): number {
    const end = text.indexOf('"', at)
    this.#append(text.slice(at, end < 0 ? text.length : end))
    if (end < 0) return text.length
    this.#state = 'closed'
    return end + 1
  }

  #takeSign(text: string, at: number): number {
    const sign = text[at]
    if (this.#isAfterReturn) {
      this.#isAfterReturn = false
      if (sign === '\n') return at + 1
    }
    if (sign === '"' && (this.#state === 'start' || this.#state === 'closed')) {
      // A second quote right after one that seemed to close the field stands for a quote.
      if (this.#state === 'closed') this.#append('"')
      this.#state = 'quoted'
    } else if (sign === this.#delimiter) {
      this.#characters++
      this.#endField()
    } else if (sign === '\n' || sign === '\r') {
      this.#isAfterReturn = sign === '\r'
      this.#endRecord()
    } else return this.#takePlain(text, at)
    return at + 1
  }

  #takePlain(text: string, at: number): number {
    this.#plain.lastIndex = at
    const [run = ''] = this.#plain.exec(text) ?? []
    this.#append(run)
    this.#state = 'plain'
    return at + run.length
  }

  #append(text: string) {
    this.#field += text
    this.#characters += text.length
    if (this.#characters > ROW_CHARACTERS_MAX) throw rowTooLong(this.#count + 1)
  }

  #endField() {
    this.#record.push(this.#field)
    this.#field = ''
    this.#state = 'start'
  }

  #endRecord() {
    this.#endField()
    this.#done.push(this.#record)
    this.#record = []
    this.#characters = 0
    this.#count++
  }

  #takeDone(): string[][] {
    const records = this.#done
    this.#done = []
    return records
  }
}
