// Reads the rows of an ods file while unpacking it. Hand-written on saxes, because the libraries that we tried keep the
// whole sheet in memory, which takes a gigabyte for 200,000 rows. See decision 0010.
import { message } from '../../../shared/messages/message.ts'
import type { ZipArchive } from './archive.ts'
import { formatPlainNumber } from './cell-text.ts'
import { type Attributes, readXml, visitXml } from './read-xml.ts'
import { createFileRefusal, RowCollector, type Sheet } from './sheet.ts'

const CONTENT_PART = 'content.xml'
const MEDIA_TYPE = 'application/vnd.oasis.opendocument.spreadsheet'

// Elements whose text is ignored. Some are inside a cell but are not its content, and others are outside the sheets.
const NON_TEXT_ELEMENTS = new Set([
  'office:annotation',
  'table:tracked-changes',
  'table:shapes',
  'table:detective',
  'text:note',
])
const SPACES_MAX = 1_000

export async function isOds(archive: ZipArchive): Promise<boolean> {
  const type: Buffer[] = []
  for await (const chunk of archive.read('mimetype')) type.push(chunk)
  return Buffer.concat(type).toString('latin1').trim().startsWith(MEDIA_TYPE)
}

export async function* readOds(archive: ZipArchive, sheet: number): Sheet {
  await refuseEncrypted(archive)
  if (!archive.has(CONTENT_PART)) throw createFileRefusal(message`The file is damaged: it has no content.`)
  const content = new OdsContent(sheet)
  for await (const _ of visitXml(archive.read(CONTENT_PART), content)) {
    yield content.rows.take()
    if (content.isDone) return
  }
  throw createFileRefusal(message`The file has no visible sheet.`)
}

/** Lists the sheets of an ods file. This has to read the whole file. */
export async function listOdsSheets(archive: ZipArchive): Promise<string[]> {
  const content = new OdsContent(Number.POSITIVE_INFINITY)
  for await (const _ of visitXml(archive.read(CONTENT_PART), content)) content.rows.take()
  return content.names
}

async function refuseEncrypted(archive: ZipArchive) {
  let isEncrypted = archive.has('encrypted-package')
  await readXml(archive.read('META-INF/manifest.xml'), {
    open(name) {
      if (name.endsWith('encryption-data')) isEncrypted = true
    },
  })
  if (isEncrypted)
    throw createFileRefusal(message`The file is protected by a password. Save it without a password.`)
}

/** Collects the rows of one visible table in an ods file. */
class OdsContent {
  readonly rows = new RowCollector()
  /** The names of the visible tables found so far. */
  readonly names: string[] = []
  isDone = false
  readonly #wanted: number
  readonly #hiddenStyles = new Set<string>()
  #style: string | undefined
  /** The number of open elements that are outside a sheet, and the number of open tables. */
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

  // Counts tables, because a cell can contain another table.
  get #isInSheet() {
    return this.#isInTable && this.#tables === 1
  }

  open(name: string, attributes: Attributes) {
    if (name === 'style:style') this.#style = attributes['style:name']
    const isHidden = name === 'style:table-properties' && attributes['table:display'] === 'false'
    if (isHidden && this.#style !== undefined) this.#hiddenStyles.add(this.#style)
    if (this.#asides > 0 || isIgnoredElement(name)) this.#asides++
    else if (name === 'table:table') {
      const isVisible = !this.#hiddenStyles.has(attributes['table:style-name'] ?? '')
      if (++this.#tables > 1 || this.isDone || !isVisible) return
      this.#isInTable = this.names.length === this.#wanted
      this.names.push(attributes['table:name'] ?? '')
    } else if (this.#isInSheet) this.#openInSheet(name, attributes)
  }

  #openInSheet(name: string, attributes: Attributes) {
    if (name === 'table:table-row') {
      this.#rowRepeats = parseRepeatCount(attributes['table:number-rows-repeated'])
      this.rows.start(this.#rowNumber)
      this.#column = 0
    } else if (isCell(name)) {
      this.#cell = attributes
      this.#paragraphs = []
    } else if (name === 'text:p') {
      this.#paragraphs.push('')
      this.#isInParagraph = true
    } else if (name === 'text:s')
      this.#append(' '.repeat(Math.min(parseRepeatCount(attributes['text:c']), SPACES_MAX)))
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
    const count = parseRepeatCount(this.#cell['table:number-columns-repeated'])
    const text = formatCellText(this.#cell, this.#paragraphs.join('\n'))
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

function formatCellText(attributes: Attributes, shown: string): string {
  const value = attributes['office:value']
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return value === undefined ? shown : formatShownNumber(Number(value), shown)
    case 'date':
      return (attributes['office:date-value'] ?? shown).replace(/\.\d+$/, '').replace(/T00:00:00$/, '')
    case 'time':
      return formatTimeText(attributes['office:time-value'] ?? '') ?? shown
    case 'boolean':
      return attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE'
    default:
      return shown
  }
}

// Returns the displayed text if the format only sets the number of digits (00012, 12.50, 50%). If the text is rounded
// (“1E+15”), too wide (“###”) or localized (1.234 for a thousand), returns the number itself.
function formatShownNumber(value: number, shown: string): string {
  const [, number = '', , decimals = '', percent = ''] = /^(-?\d+(\.(\d+))?)(%?)$/.exec(shown) ?? []
  const exact = percent ? value * 100 : value
  const isSame =
    number !== '' && decimals.length <= 30 && Number(exact.toFixed(decimals.length)) === Number(number)
  if (isSame) return shown
  return Number.isFinite(value) ? formatPlainNumber(value) : shown
}

function formatTimeText(value: string): string | undefined {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value) ?? []
  return hours && minutes && seconds
    ? [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':')
    : undefined
}

function parseRepeatCount(count: string | undefined): number {
  const number = count === undefined ? 1 : Number(count)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw createFileRefusal(message`The file is damaged: a cell or row has an invalid repeat count.`)
}

function isIgnoredElement(name: string): boolean {
  return NON_TEXT_ELEMENTS.has(name) || name.startsWith('draw:')
}

function isCell(name: string): boolean {
  return name === 'table:table-cell' || name === 'table:covered-table-cell'
}
