// Splits csv into records, by hand: every kind of line end counts, mixed ones too, each character is looked at once,
// and a record that never ends is refused. papaparse takes one kind of line end for a whole file, and begins an
// unfinished record anew with every piece of it.
import { ROW_CHARACTERS_MAX, refuseFile, rowTooLong } from './sheet.ts'

export type CsvSplitter = {
  /** The records that are complete with this piece of text. */
  push(text: string): string[][]
  /** The last one, where no line end closes it. */
  end(): string[][]
}

export function createCsvSplitter(delimiter: string): CsvSplitter {
  const plain = new RegExp(`[^\\r\\n${delimiter === '|' ? '\\|' : delimiter}]+`, 'y')
  let done: string[][] = []
  let record: string[] = []
  let field = ''
  let count = 0
  let characters = 0
  /** Where in a field the next character is. */
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  let isAfterReturn = false

  function endField() {
    record.push(field)
    field = ''
    state = 'start'
  }

  function endRecord() {
    endField()
    done.push(record)
    record = []
    characters = 0
    count++
  }

  function append(text: string) {
    field += text
    characters += text.length
    if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(count + 1)
  }

  /** Takes the sign at the place, or the run of signs that begins there; returns the place behind it. */
  function takeQuoted(text: string, place: number): number {
    const end = text.indexOf('"', place)
    append(text.slice(place, end < 0 ? text.length : end))
    if (end < 0) return text.length
    state = 'closed'
    return end + 1
  }

  function takePlain(text: string, place: number): number {
    plain.lastIndex = place
    const [run = ''] = plain.exec(text) ?? []
    append(run)
    state = 'plain'
    return place + run.length
  }

  function takeSign(text: string, place: number): number {
    const sign = text[place]
    if (isAfterReturn) {
      isAfterReturn = false
      if (sign === '\n') return place + 1
    }
    if (sign === '"' && (state === 'start' || state === 'closed')) {
      // A second quote right after one that seemed to close the field stands for a quote.
      if (state === 'closed') append('"')
      state = 'quoted'
    } else if (sign === delimiter) {
      characters++
      endField()
    } else if (sign === '\n' || sign === '\r') {
      isAfterReturn = sign === '\r'
      endRecord()
    } else return takePlain(text, place)
    return place + 1
  }

  function takeDone(): string[][] {
    const records = done
    done = []
    return records
  }

  return {
    push(text) {
      let place = 0
      while (place < text.length) {
        place = state === 'quoted' ? takeQuoted(text, place) : takeSign(text, place)
      }
      // Delimiters alone make a record long, too.
      if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(count + 1)
      return takeDone()
    },
    end() {
      if (state === 'quoted')
        throw refuseFile(`Row ${count + 1} of the file has a quote that is never closed.`)
      if (record.length > 0 || state !== 'start') endRecord()
      return takeDone()
    },
  }
}
