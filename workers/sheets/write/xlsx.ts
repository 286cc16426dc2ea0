// Writes rows as an xlsx one by one, in constant memory. Every cell is a text cell, except in number columns.
import { writeZip } from './zip.ts'

/** Batches of rows, because a step of an async loop costs more than a row. */
type RowBatches = AsyncIterable<string[][]>

type SheetOptions = {
  /** Without characters that are special in XML or in a sheet name. */
  name: string
  /** Columns count from zero. */
  isNumber(column: number): boolean
}

export function writeXlsx(header: string[], rows: RowBatches, options: SheetOptions): AsyncGenerator<Buffer> {
  return writeZip([
    ...FIXED_PARTS.map(([name, content]) => ({ name, content: [Buffer.from(XML + content)] })),
    { name: 'xl/workbook.xml', content: [Buffer.from(XML + workbook(options.name))] },
    { name: 'xl/worksheets/sheet1.xml', content: sheetOf(header, rows, options) },
  ])
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

// Style 1 is number format “@” (49), which keeps a cell a text when it is edited. Style 2 is bold.
const FIXED_PARTS: [name: string, content: string][] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEETS}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEETS}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEETS}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
]

const workbook = (sheet: string) =>
  `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`

const [TEXT, BOLD] = [1, 2]

async function* sheetOf(
  header: string[],
  rows: RowBatches,
  { isNumber }: SheetOptions,
): AsyncGenerator<Buffer> {
  const letters = header.map((_, index) => columnLetters(index))
  const numbers = header.map((_, index) => isNumber(index))
  const columns = `<cols>${numbers.map(columnXml).join('')}</cols>`
  // Freezes the header.
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
  const first = header.map((cell, index) => textCell(`${letters[index]}1`, cell, BOLD)).join('')
  yield Buffer.from(`${XML}<worksheet xmlns="${MAIN}">${view}${columns}<sheetData><row r="1">${first}</row>`)
  let number = 1
  for await (const batch of rows) {
    let text = ''
    for (const row of batch) text += rowXml(++number, row, letters, numbers)
    yield Buffer.from(text)
  }
  yield Buffer.from('</sheetData></worksheet>')
}

function columnXml(isNumber: boolean, index: number): string {
  const own = isNumber ? 'width="10"' : `width="24" style="${TEXT}"`
  return `<col min="${index + 1}" max="${index + 1}" ${own}/>`
}

function rowXml(number: number, row: string[], letters: string[], numbers: boolean[]): string {
  let cells = ''
  for (let index = 0; index < row.length; index++) {
    const text = row[index]
    if (!text) continue
    const address = `${letters[index]}${number}`
    cells +=
      numbers[index] && NUMBER.test(text)
        ? `<c r="${address}"><v>${text}</v></c>`
        : textCell(address, text, TEXT)
  }
  return `<row r="${number}">${cells}</row>`
}

// A spreadsheet rounds numbers with more digits.
const NUMBER = /^\d{1,15}$/

function textCell(address: string, text: string, style: number): string {
  const space = SPACED.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${address}" s="${style}" t="inlineStr"><is><t${space}>${escapeText(text)}</t></is></c>`
}

const SPACED = /^\s|\s$|\n/
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches characters that XML does not allow
const SPECIAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// “_x0041_” means “A” in a spreadsheet, so text that looks like this is escaped. XML would normalize line
// ends, and does not allow some characters at all.
function escapeText(text: string): string {
  return text.replace(
    SPECIAL,
    (sign) => ENTITIES[sign] ?? `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
}

function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter
}
