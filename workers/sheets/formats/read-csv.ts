// Reads csv and txt: detects the encoding and the delimiter.
import { TextDecoder } from 'node:util'
import { message } from '../../../shared/messages/message.ts'
import { type Cells, refuseFile, type Sheet, type SheetRow } from './sheet.ts'
import { CsvSplitter } from './split-csv.ts'
import type { SpooledFile } from './spooled-file.ts'

/** The column that each heading names; undefined for an unknown one. */
export type NameColumns = (headings: Cells) => Array<string | undefined>

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const DELIMITERS = [',', ';', '\t', '|']

export async function* readCsv(file: SpooledFile, nameColumns: NameColumns): Sheet {
  const texts = decode(file, await findEncoding(file))
  let splitter: CsvSplitter | undefined
  let number = 0
  const toRow = (record: string[]): SheetRow => ({ number: ++number, cells: record })
  for await (const text of texts) {
    const [named, rest] = splitter ? [undefined, text] : takeDelimiterLine(text)
    splitter ??= new CsvSplitter(named ?? findDelimiter(rest, nameColumns))
    yield splitter.push(rest).map(toRow)
  }
  if (splitter) yield splitter.end().map(toRow)
}

// Excel writes and reads a first line that names the delimiter, but does not show it: it is no row.
function takeDelimiterLine(start: string): [delimiter: string | undefined, rest: string] {
  const [line = '', delimiter] = /^"?sep=([,;\t|])"?(?:\r\n|\r|\n|$)/i.exec(start) ?? []
  return [delimiter, start.slice(line.length)]
}

// The right delimiter finds the most known columns; a file with one column has none.
function findDelimiter(start: string, nameColumns: NameColumns): string {
  const found = DELIMITERS.map(
    (delimiter) => nameColumns(firstRecord(start, delimiter)).filter(Boolean).length,
  )
  return DELIMITERS[found.indexOf(Math.max(...found))] ?? ','
}

function firstRecord(start: string, delimiter: string): string[] {
  // A file of one line may lack a line end.
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
      throw refuseFile(message`The file is not a csv, txt, ods, xls or xlsx file: it contains NUL bytes.`)
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
      throw refuseFile(message`The file is not valid ${encoding.toUpperCase()}.`)
    throw error
  }
}
