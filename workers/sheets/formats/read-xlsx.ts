// Reads the rows of an xlsx file while unpacking it. Hand-written on saxes, because exceljs's streaming reader breaks
// letters such as “ü” between two chunks, and keeps only the last part of a text with several formats. See decision
// 0010.
import type { ZipArchive } from './archive.ts'
import { type CellFormat, formatNumber } from './cell-text.ts'
import { type Attributes, getLocalName, visitXml } from './read-xml.ts'
import { createRowTooLongRefusal, ROW_CHARACTERS_MAX, RowCollector, type Sheet } from './sheet.ts'
import {
  createTextReader,
  readFormats,
  readTexts,
  readWorkbook,
  type TextPool,
  unescapeText,
} from './xlsx-parts.ts'

type XlsxBook = { texts: TextPool; formats: CellFormat[]; is1904: boolean }
type XlsxCell = { type: string; format: CellFormat | undefined; column: number }

export async function* readXlsx(archive: ZipArchive, workbookPath: string, sheet: number): Sheet {
  const workbook = await readWorkbook(archive, workbookPath, sheet)
  const formats = await readFormats(archive, workbook.stylesPath)
  const texts = await readTexts(archive, workbook.textsPath)
  const visitor = createRowVisitor({ texts, formats, is1904: workbook.is1904 })
  for await (const _ of visitXml(archive.read(workbook.sheetPath), visitor)) yield visitor.rows.take()
}

function createRowVisitor(book: XlsxBook) {
  const rows = new RowCollector()
  let isInRow = false
  let cell: XlsxCell | undefined
  let value = ''
  let isInValue = false
  let number = 0
  let column = 0
  const inline = createTextReader()

  function startRow(attributes: Attributes) {
    number = attributes['r'] === undefined ? number + 1 : Number(attributes['r'])
    rows.start(number)
    isInRow = true
    column = 0
  }

  function startCell(attributes: Attributes) {
    const reference = attributes['r']
    column = reference === undefined ? column + 1 : parseColumnNumber(reference)
    cell = {
      type: attributes['t'] ?? 'n',
      format: book.formats[Number(attributes['s'] ?? 0)],
      column: column - 1,
    }
    value = ''
    inline.start()
  }

  function endCell() {
    if (!isInRow || !cell) return
    const text = cell.type === 'inlineStr' ? inline.take() : formatCellText(cell, value, book)
    rows.countCharacters(text.length)
    rows.setCell(cell.column, text)
    cell = undefined
  }

  return {
    rows,
    open(name: string, attributes: Attributes) {
      const local = getLocalName(name)
      if (local === 'row') startRow(attributes)
      else if (local === 'c' && isInRow) startCell(attributes)
      else if (local === 'v') isInValue = cell !== undefined
      else inline.open(local)
    },
    close(name: string) {
      const local = getLocalName(name)
      if (local === 'v') isInValue = false
      else if (local === 'c') endCell()
      else if (local === 'row' && isInRow) {
        rows.end()
        isInRow = false
      } else inline.close(local)
    },
    text(text: string) {
      if (isInValue) value += text
      else if (cell) inline.text(text)
      if (value.length > ROW_CHARACTERS_MAX) throw createRowTooLongRefusal(number)
    },
  }
}

function formatCellText({ type, format }: XlsxCell, value: string, book: XlsxBook): string {
  if (value === '') return ''
  if (type === 's') return book.texts.get(Number(value)) ?? ''
  if (type === 'str') return unescapeText(value)
  if (type === 'b') return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formatNumber(Number(value), format, book.is1904)
  // The cell type “d” is an ISO date, and “e” is an error such as #N/A.
  return type === 'd' ? value.replace(/T00:00:00(\.0+)?Z?$/, '') : value
}

/** Returns the number of the column in a cell reference. Column A has the number 1. */
function parseColumnNumber(reference: string): number {
  let number = 0
  for (let index = 0; index < reference.length && number <= 1_000_000; index++) {
    const letter = (reference.charCodeAt(index) & 0xdf) - 64
    if (letter < 1 || letter > 26) break
    number = number * 26 + letter
  }
  return number > 0 ? number : Number.NaN
}
