// Reads the rows of an xlsx as they are unpacked. Hand-written on saxes: exceljs's streaming reader breaks
// letters such as “ü” between two chunks, and keeps only the last run of a formatted text. See decision 0010.
import type { Archive } from './archive.ts'
import { type CellFormat, formatNumber } from './cell-text.ts'
import { type Attributes, localName, visitXml } from './read-xml.ts'
import {
  checkRowNumber,
  ROW_CHARACTERS_MAX,
  rowTooLong,
  type Sheet,
  type SheetRow,
  setCell,
} from './sheet.ts'
import type { TextPool } from './text-pool.ts'
import { createTextReader, readFormats, readTexts, readWorkbook, unescapeText } from './xlsx-parts.ts'

type Book = { texts: TextPool; formats: CellFormat[]; is1904: boolean }
type Cell = { type: string; format: CellFormat | undefined; column: number }

export async function* readXlsx(archive: Archive, workbookPath: string): Sheet {
  const workbook = await readWorkbook(archive, workbookPath)
  const formats = await readFormats(archive, workbook.stylesPath)
  const texts = await readTexts(archive, workbook.textsPath)
  const gathered = gatherRows({ texts, formats, is1904: workbook.is1904 })
  for await (const _ of visitXml(archive.read(workbook.sheetPath), gathered)) yield gathered.takeRows()
}

function gatherRows(book: Book) {
  let rows: SheetRow[] = []
  let row: SheetRow | undefined
  let cell: Cell | undefined
  let value = ''
  let isInValue = false
  let number = 0
  let column = 0
  let characters = 0
  const inline = createTextReader()

  function startRow(attributes: Attributes) {
    number = attributes['r'] === undefined ? number + 1 : Number(attributes['r'])
    checkRowNumber(number)
    row = { number, cells: [] }
    column = 0
    characters = 0
  }

  function startCell(attributes: Attributes) {
    const reference = attributes['r']
    column = reference === undefined ? column + 1 : columnNumber(reference)
    cell = {
      type: attributes['t'] ?? 'n',
      format: book.formats[Number(attributes['s'] ?? 0)],
      column: column - 1,
    }
    value = ''
    inline.start()
  }

  function endCell() {
    if (!row || !cell) return
    const text = cell.type === 'inlineStr' ? inline.take() : cellText(cell, value, book)
    // Ten thousand cells may share one long text.
    characters += text.length
    if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(number)
    if (text !== '') setCell(row, cell.column, text)
    cell = undefined
  }

  return {
    open(name: string, attributes: Attributes) {
      const local = localName(name)
      if (local === 'row') startRow(attributes)
      else if (local === 'c' && row) startCell(attributes)
      else if (local === 'v') isInValue = cell !== undefined
      else inline.open(local)
    },
    close(name: string) {
      const local = localName(name)
      if (local === 'v') isInValue = false
      else if (local === 'c') endCell()
      else if (local === 'row' && row) {
        rows.push(row)
        row = undefined
      } else inline.close(local)
    },
    text(text: string) {
      if (isInValue) value += text
      else if (cell) inline.text(text)
      if (value.length > ROW_CHARACTERS_MAX) throw rowTooLong(number)
    },
    takeRows() {
      const taken = rows
      rows = []
      return taken
    },
  }
}

function cellText({ type, format }: Cell, value: string, book: Book): string {
  if (value === '') return ''
  if (type === 's') return book.texts.get(Number(value)) ?? ''
  if (type === 'str') return unescapeText(value)
  if (type === 'b') return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formatNumber(Number(value), format, book.is1904)
  // “d” is an ISO date, “e” an error such as #N/A.
  return type === 'd' ? value.replace(/T00:00:00(\.0+)?Z?$/, '') : value
}

/** Column A is 1. */
function columnNumber(reference: string): number {
  let number = 0
  for (let index = 0; index < reference.length && number <= 1_000_000; index++) {
    const letter = (reference.charCodeAt(index) & 0xdf) - 64
    if (letter < 1 || letter > 26) break
    number = number * 26 + letter
  }
  return number > 0 ? number : Number.NaN
}
