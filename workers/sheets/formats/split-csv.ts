// Splits csv into records. Hand-written: it accepts every kind of line end, even mixed, looks at each
// character once, and refuses a record that never ends. papaparse takes one kind of line end per file, and
// parses an unfinished record again with each chunk.
import { message } from '../../../shared/messages/message.ts'
import { ROW_CHARACTERS_MAX, refuseFile, rowTooLong } from './sheet.ts'

export class CsvSplitter {
  readonly #delimiter: string
  /** A run of ordinary characters. */
  readonly #plain: RegExp
  #done: string[][] = []
  #record: string[] = []
  #field = ''
  #count = 0
  #characters = 0
  /** The state within the field at the next character. */
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  #isAfterReturn = false
  /** If so, every character is checked. */
  #hasLoneReturns = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.#plain = new RegExp(`[^\\r\\n${delimiter}]+`, 'y')
  }

  /** Returns the records that this piece of text completes. */
  push(text: string): string[][] {
    let at = 0
    while (at < text.length) {
      at = this.#takeLines(text, at)
      if (at === text.length) break
      at = this.#state === 'quoted' ? this.#takeQuoted(text, at) : this.#takeSign(text, at)
    }
    // Delimiters alone can make a record too long, too.
    if (this.#characters > ROW_CHARACTERS_MAX) throw rowTooLong(this.#count + 1)
    return this.#takeDone()
  }

  /** Returns the last record if it has no line end. */
  end(): string[][] {
    if (this.#state === 'quoted') {
      throw refuseFile(message`Row ${this.#count + 1} of the file has a quote that is never closed.`)
    }
    if (this.#record.length > 0 || this.#state !== 'start') this.#endRecord()
    return this.#takeDone()
  }

  // Each of these consumes what begins at the position, and returns the next position.

  // Whole records without quotes, as nearly all are, at the speed of String.split.
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
      // Two quotes in a quoted field stand for one.
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
