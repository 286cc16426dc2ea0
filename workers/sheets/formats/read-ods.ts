// Reads the rows of an ods as they are unpacked. Hand-written on saxes: the libraries that were tried hold
// the whole sheet, a gigabyte for 200,000 rows. See decision 0010.
import { message } from '../../../shared/messages/message.ts'
import type { Archive } from './archive.ts'
import { formatPlainNumber } from './cell-text.ts'
import { type Attributes, readXml, visitXml } from './read-xml.ts'
import { RowCollector, refuseFile, type Sheet } from './sheet.ts'

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

export async function* readOds(archive: Archive, sheet: number): Sheet {
  await refuseEncrypted(archive)
  if (!archive.has(CONTENT)) throw refuseFile(message`The file is damaged: it has no content.`)
  const content = new OdsContent(sheet)
  for await (const _ of visitXml(archive.read(CONTENT), content)) {
    yield content.rows.take()
    if (content.isDone) return
  }
  throw refuseFile(message`The file has no visible sheet.`)
}

/** Reads all of the file. */
export async function listOdsSheets(archive: Archive): Promise<string[]> {
  const content = new OdsContent(Number.POSITIVE_INFINITY)
  for await (const _ of visitXml(archive.read(CONTENT), content)) content.rows.take()
  return content.names
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

/** Collects the rows of one of the visible tables. */
class OdsContent {
  readonly rows = new RowCollector()
  /** Of the visible tables so far. */
  readonly names: string[] = []
  isDone = false
  readonly #wanted: number
  readonly #hiddenStyles = new Set<string>()
  #style: string | undefined
  /** How many elements that are no part of a sheet, and how many tables, are open around the current one. */
  #asides = 0
  #tables = 0
  #isInTable = false
  #rowNumber = 1
  #rowRepeats = 1
  #column = 0
  #cell: Attributes = {}
  #paragraphs: string[] = []
  #isInParagraph = false

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  // A table can be nested in a cell of another one.
  get #isInSheet() {
    return this.#isInTable && this.#tables === 1
  }

  open(name: string, attributes: Attributes) {
    if (name === 'style:style') this.#style = attributes['style:name']
    const isHidden = name === 'style:table-properties' && attributes['table:display'] === 'false'
    if (isHidden && this.#style !== undefined) this.#hiddenStyles.add(this.#style)
    if (this.#asides > 0 || isAside(name)) this.#asides++
    else if (name === 'table:table') {
      const isVisible = !this.#hiddenStyles.has(attributes['table:style-name'] ?? '')
      if (++this.#tables > 1 || this.isDone || !isVisible) return
      this.#isInTable = this.names.length === this.#wanted
      this.names.push(attributes['table:name'] ?? '')
    } else if (this.#isInSheet) this.#openInSheet(name, attributes)
  }

  #openInSheet(name: string, attributes: Attributes) {
    if (name === 'table:table-row') {
      this.#rowRepeats = repeats(attributes['table:number-rows-repeated'])
      this.rows.start(this.#rowNumber)
      this.#column = 0
    } else if (isCell(name)) {
      this.#cell = attributes
      this.#paragraphs = []
    } else if (name === 'text:p') {
      this.#paragraphs.push('')
      this.#isInParagraph = true
    } else if (name === 'text:s')
      this.#append(' '.repeat(Math.min(repeats(attributes['text:c']), SPACES_MAX)))
    else if (name === 'text:tab') this.#append('\t')
    else if (name === 'text:line-break') this.#append('\n')
  }

  close(name: string) {
    if (this.#asides > 0) this.#asides--
    else if (name === 'table:table') {
      this.#tables--
      if (this.#tables > 0 || !this.#isInTable) return
      this.#isInTable = false
      this.isDone = true
    } else if (!this.#isInSheet) return
    else if (name === 'table:table-row') {
      this.rows.end(this.#rowRepeats)
      this.#rowNumber += this.#rowRepeats
    } else if (isCell(name)) this.#endCell()
    else if (name === 'text:p') this.#isInParagraph = false
  }

  text(text: string) {
    if (this.#asides === 0 && this.#isInSheet) this.#append(text)
  }

  #endCell() {
    const count = repeats(this.#cell['table:number-columns-repeated'])
    const text = cellText(this.#cell, this.#paragraphs.join('\n'))
    this.rows.countCharacters(text.length * count)
    if (text !== '') for (let more = 0; more < count; more++) this.rows.setCell(this.#column + more, text)
    this.#column += count
  }

  #append(text: string) {
    if (!this.#isInParagraph) return
    this.#paragraphs[this.#paragraphs.length - 1] += text
    this.rows.countCharacters(text.length)
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
