// Writes rows to an xlsx file one by one, with constant memory. Every cell is a text cell, except in columns of
// numbers.
import { writeZip } from './zip.ts'

/** Rows come in batches, because one step of an async loop costs more than one row. */
type RowBatches = AsyncIterable<string[][]>

type SheetOptions = {
  /** The name of the sheet. It must not contain characters that are special in XML or in a sheet name. */
  name: string
  /** Returns whether the column contains numbers. Columns are counted from zero. */
  isNumber(column: number): boolean
}

export function writeXlsx(header: string[], rows: RowBatches, options: SheetOptions): AsyncGenerator<Buffer> {
  return writeZip([
    ...FIXED_PARTS.map(([name, content]) => ({ name, content: [Buffer.from(XML_DECLARATION + content)] })),
    { name: 'xl/workbook.xml', content: [Buffer.from(XML_DECLARATION + formatWorkbookXml(options.name))] },
    { name: 'xl/worksheets/sheet1.xml', content: generateSheetXml(header, rows, options) },
  ])
}

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE_NAMESPACE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006'
const SPREADSHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

// The parts of the file that are always the same. Style 1 is the number format “@” (49), with which a cell stays a text
// when it is edited. Style 2 is bold.
const FIXED_PARTS: [name: string, content: string][] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE_NAMESPACE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SPREADSHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET_TYPE}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships"><Relationship Id="rId1" Type="${OFFICE_NAMESPACE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships"><Relationship Id="rId1" Type="${OFFICE_NAMESPACE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE_NAMESPACE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN_NAMESPACE}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
]

const formatWorkbookXml = (sheet: string) =>
  `<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE_NAMESPACE}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`

const [TEXT, BOLD] = [1, 2]

async function* generateSheetXml(
  header: string[],
  rows: RowBatches,
  { isNumber }: SheetOptions,
): AsyncGenerator<Buffer> {
  const letters = header.map((_, index) => formatColumnLetters(index))
  const numbers = header.map((_, index) => isNumber(index))
  const columns = `<cols>${numbers.map(formatColumnXml).join('')}</cols>`
  // XML that freezes the header row.
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
  const first = header.map((cell, index) => formatTextCell(`${letters[index]}1`, cell, BOLD)).join('')
  yield Buffer.from(
    `${XML_DECLARATION}<worksheet xmlns="${MAIN_NAMESPACE}">${view}${columns}<sheetData><row r="1">${first}</row>`,
  )
  let number = 1
  for await (const batch of rows) {
    let text = ''
    for (const row of batch) text += formatRowXml(++number, row, letters, numbers)
    yield Buffer.from(text)
  }
  yield Buffer.from('</sheetData></worksheet>')
}

function formatColumnXml(isNumber: boolean, index: number): string {
  const own = isNumber ? 'width="10"' : `width="24" style="${TEXT}"`
  return `<col min="${index + 1}" max="${index + 1}" ${own}/>`
}

function formatRowXml(number: number, row: string[], letters: string[], numbers: boolean[]): string {
  let cells = ''
  for (let index = 0; index < row.length; index++) {
    const text = row[index]
    if (!text) continue
    const address = `${letters[index]}${number}`
    cells +=
      numbers[index] && NUMBER_PATTERN.test(text)
        ? `<c r="${address}"><v>${text}</v></c>`
        : formatTextCell(address, text, TEXT)
  }
  return `<row r="${number}">${cells}</row>`
}

// Matches numbers with up to 15 digits. A spreadsheet rounds longer numbers.
const NUMBER_PATTERN = /^\d{1,15}$/

function formatTextCell(address: string, text: string, style: number): string {
  const space = SPACE_PATTERN.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${address}" s="${style}" t="inlineStr"><is><t${space}>${escapeText(text)}</t></is></c>`
}

const SPACE_PATTERN = /^\s|\s$|\n/
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches characters that XML does not allow
const SPECIAL_CHARACTER_PATTERN = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
const XML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Escapes text for a cell. A spreadsheet reads “_x0041_” as “A”, so text of this form is escaped. Line ends,
// which XML would normalize, and characters that XML does not allow are escaped too.
function escapeText(text: string): string {
  return text.replace(
    SPECIAL_CHARACTER_PATTERN,
    (sign) => XML_ENTITIES[sign] ?? `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
}

function formatColumnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : formatColumnLetters(Math.floor(index / 26) - 1) + letter
}
