// Reads the rows of an ods as they are unpacked. Hand-written on saxes: the libraries that were tried hold
// the whole sheet, a gigabyte for 200,000 rows. See decision 0010.
import { message } from '../../../shared/messages/message.ts'
import type { Archive } from './archive.ts'
import { formatPlainNumber } from './cell-text.ts'
import { type Attributes, readXml, visitXml } from './read-xml.ts'
import {
  checkRowNumber,
  ROW_CHARACTERS_MAX,
  refuseFile,
  rowTooLong,
  type Sheet,
  type SheetRow,
  setCell,
} from './sheet.ts'

const CONTENT = 'content.xml'
const MEDIA_TYPE = 'application/vnd.oasis.opendocument.spreadsheet'

// Elements within a cell or outside the sheets that are not part of a cell's text.
const ASIDE = new Set([
  'office:annotation',
  'table:tracked-changes',
  'table:shapes',
  'table:detective',
  'text:note',
])
const SPACES_MAX = 1_000

export async function isOds(archive: Archive): Promise<boolean> {
  const type: Buffer[] = []
  for await (const chunk of archive.read('mimetype')) type.push(chunk)
  return Buffer.concat(type).toString('latin1').trim().startsWith(MEDIA_TYPE)
}

export async function* readOds(archive: Archive): Sheet {
  await refuseEncrypted(archive)
  if (!archive.has(CONTENT)) throw refuseFile(message`The file is damaged: it has no content.`)
  const gathered = gatherRows()
  for await (const _ of visitXml(archive.read(CONTENT), gathered)) {
    yield gathered.takeRows()
    if (gathered.isDone()) return
  }
  throw refuseFile(message`The file has no visible sheet.`)
}

async function refuseEncrypted(archive: Archive) {
  let isEncrypted = archive.has('encrypted-package')
  await readXml(archive.read('META-INF/manifest.xml'), {
    open(name) {
      if (name.endsWith('encryption-data')) isEncrypted = true
    },
  })
  if (isEncrypted) throw refuseFile(message`The file is protected by a password. Save it without a password.`)
}

function gatherRows() {
  let rows: SheetRow[] = []
  const styles = hiddenTables()
  const cells = gatherCells()
  let aside = 0
  let tables = 0
  let state: 'before' | 'inside' | 'done' = 'before'
  let row: SheetRow = { number: 1, cells: [] }
  let repeated = 1

  function endRow() {
    checkRowNumber(row.number + repeated - 1)
    // A spreadsheet often ends with one element that stands for a million empty rows.
    const shown = row.cells.length > 0 ? repeated : 0
    for (let more = 0; more < shown; more++) rows.push({ number: row.number + more, cells: row.cells })
    row = { number: row.number + repeated, cells: [] }
  }

  return {
    open(name: string, attributes: Attributes) {
      styles.open(name, attributes)
      if (aside > 0 || isAside(name)) aside++
      else if (name === 'table:table') {
        tables++
        // A table can be nested in a cell of another one.
        if (tables === 1 && state === 'before' && !styles.isHidden(attributes['table:style-name']))
          state = 'inside'
      } else if (state !== 'inside' || tables !== 1) return
      else if (name === 'table:table-row') {
        repeated = repeats(attributes['table:number-rows-repeated'])
        cells.start(row)
      } else cells.open(name, attributes)
    },
    close(name: string) {
      if (aside > 0) aside--
      else if (name === 'table:table') {
        tables--
        if (tables === 0 && state === 'inside') state = 'done'
      } else if (state !== 'inside' || tables !== 1) return
      else if (name === 'table:table-row') endRow()
      else cells.close(name)
    },
    text(text: string) {
      if (aside === 0 && tables === 1 && state === 'inside') cells.text(text)
    },
    takeRows() {
      const taken = rows
      rows = []
      return taken
    },
    isDone: () => state === 'done',
  }
}

function gatherCells() {
  let row: SheetRow = { number: 0, cells: [] }
  let column = 0
  let characters = 0
  let attributes: Attributes = {}
  let paragraphs: string[] = []
  let isInParagraph = false

  function endCell() {
    const count = repeats(attributes['table:number-columns-repeated'])
    const text = cellText(attributes, paragraphs.join('\n'))
    if (text !== '') {
      characters += text.length * count
      if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(row.number)
      for (let more = 0; more < count; more++) setCell(row, column + more, text)
    }
    column += count
  }

  function append(text: string) {
    paragraphs[paragraphs.length - 1] += text
    characters += text.length
    if (characters > ROW_CHARACTERS_MAX) throw rowTooLong(row.number)
  }

  return {
    start(next: SheetRow) {
      row = next
      column = 0
      characters = 0
    },
    open(name: string, found: Attributes) {
      if (isCell(name)) {
        attributes = found
        paragraphs = []
      } else if (name === 'text:p') {
        paragraphs.push('')
        isInParagraph = true
      } else if (!isInParagraph) return
      else if (name === 'text:s') append(' '.repeat(Math.min(repeats(found['text:c']), SPACES_MAX)))
      else if (name === 'text:tab') append('\t')
      else if (name === 'text:line-break') append('\n')
    },
    close(name: string) {
      if (isCell(name)) endCell()
      else if (name === 'text:p') isInParagraph = false
    },
    text(text: string) {
      if (isInParagraph) append(text)
    },
  }
}

function hiddenTables() {
  const hidden = new Set<string>()
  let style: string | undefined
  return {
    open(name: string, attributes: Attributes) {
      if (name === 'style:style') style = attributes['style:name']
      const isHidden = name === 'style:table-properties' && attributes['table:display'] === 'false'
      if (isHidden && style !== undefined) hidden.add(style)
    },
    isHidden: (name: string | undefined) => name !== undefined && hidden.has(name),
  }
}

function cellText(attributes: Attributes, shown: string): string {
  const value = attributes['office:value']
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return value === undefined ? shown : shownNumber(Number(value), shown)
    case 'date':
      return (attributes['office:date-value'] ?? shown).replace(/\.\d+$/, '').replace(/T00:00:00$/, '')
    case 'time':
      return timeText(attributes['office:time-value'] ?? '') ?? shown
    case 'boolean':
      return attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE'
    default:
      return shown
  }
}

// The displayed text counts if it only sets the number of digits (00012, 12.50, 50%). If it is rounded
// (“1E+15”), too wide (“###”) or localized (1.234 for a thousand), the number itself counts.
function shownNumber(value: number, shown: string): string {
  const [, number = '', , decimals = '', percent = ''] = /^(-?\d+(\.(\d+))?)(%?)$/.exec(shown) ?? []
  const exact = percent ? value * 100 : value
  const isSame =
    number !== '' && decimals.length <= 30 && Number(exact.toFixed(decimals.length)) === Number(number)
  if (isSame) return shown
  return Number.isFinite(value) ? formatPlainNumber(value) : shown
}

function timeText(value: string): string | undefined {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value) ?? []
  return hours && minutes && seconds
    ? [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':')
    : undefined
}

function repeats(count: string | undefined): number {
  const number = count === undefined ? 1 : Number(count)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw refuseFile(message`The file is damaged: it repeats a cell or row too often.`)
}

function isAside(name: string): boolean {
  return ASIDE.has(name) || name.startsWith('draw:')
}

function isCell(name: string): boolean {
  return name === 'table:table-cell' || name === 'table:covered-table-cell'
}
