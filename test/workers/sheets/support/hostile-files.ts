// Lists files that are broken, malicious or of the wrong type, with the expected refusal of each file.
import { CFB } from '@e965/xlsx'
import { readSample } from './read.ts'
import { createInlineRow, ods, xlsx, zip } from './zip.ts'

export type HostileFile = { title: string; file(): Buffer | string; status: 413 | 422; says: RegExp }

const MB = 1024 * 1024
const UNSUPPORTED_FORMAT_MESSAGE = /Send csv, txt, ods, xls or xlsx/
const DAMAGED_MESSAGE = /damaged/
const EMAIL_CELL = '<table:table-cell><text:p>email</text:p></table:table-cell>'
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)

export const OTHER_FORMAT_FILES: HostileFile[] = [
  { title: 'an empty file', file: () => '', status: 422, says: /is empty/ },
  { title: 'a PDF', file: () => '%PDF-1.7\n%\xe2\xe3', status: 422, says: /PDF.*Send csv/ },
  { title: 'an HTML page', file: () => '\n<!DOCTYPE html><table><tr><td>email', status: 422, says: /HTML/ },
  { title: 'an XML spreadsheet', file: () => '<?xml version="1.0"?><Workbook/>', status: 422, says: /XML/ },
  {
    title: 'a picture',
    file: () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    status: 422,
    says: /not a csv/,
  },
  { title: 'NUL bytes in a csv', file: () => 'email\na@example.com\0\n', status: 422, says: /NUL/ },
  {
    title: 'a zip of other files',
    file: () => zip([{ name: 'a.txt', content: 'email' }]),
    status: 422,
    says: UNSUPPORTED_FORMAT_MESSAGE,
  },
  { title: 'a zip without files', file: () => zip([]), status: 422, says: UNSUPPORTED_FORMAT_MESSAGE },
  {
    title: 'a docx',
    file: () => xlsx('', [{ name: 'xl/workbook.xml', content: '<w:document xmlns:w="w"/>' }]),
    status: 422,
    says: UNSUPPORTED_FORMAT_MESSAGE,
  },
  {
    title: 'a doc',
    file: () => createCompoundFile('/WordDocument'),
    status: 422,
    says: UNSUPPORTED_FORMAT_MESSAGE,
  },
  { title: 'a password-protected ods', file: () => readSample('locked.ods'), status: 422, says: /password/ },
  { title: 'a password-protected xls', file: () => readSample('locked.xls'), status: 422, says: /password/ },
  {
    title: 'a password-protected xlsx',
    file: () => readSample('locked.xlsx'),
    status: 422,
    says: /password/,
  },
]

export const FILES_WITHOUT_LIST: HostileFile[] = [
  { title: 'no header', file: () => 'a@example.com,Jane\n', status: 422, says: /first row/ },
  {
    title: 'no header below an empty row',
    file: () => xlsx(createInlineRow(2, 'a@example.com')),
    status: 422,
    says: /first row/,
  },
  { title: 'no email column', file: () => 'id,name\n1,Jane\n', status: 422, says: /no column “email”/ },
  { title: 'the same column twice', file: () => 'email,Name, NAME\n', status: 422, says: /“name” twice/ },
  {
    title: 'an unclosed quote',
    file: () => 'email,name\na@b.de,"Jane\n',
    status: 422,
    says: /Row 2 .*quote/,
  },
  {
    title: 'half of an xlsx',
    file: () => half(readSample('people.xlsx')),
    status: 422,
    says: DAMAGED_MESSAGE,
  },
  { title: 'half of an ods', file: () => half(readSample('people.ods')), status: 422, says: DAMAGED_MESSAGE },
  { title: 'half of an xls', file: () => half(readSample('people.xls')), status: 422, says: DAMAGED_MESSAGE },
  {
    title: 'a truncated sheet',
    file: () => xlsx('', [{ name: 'xl/worksheets/any.xml', content: '<worksheet><sheetData><row>' }]),
    status: 422,
    says: DAMAGED_MESSAGE,
  },
  {
    title: 'rows out of order',
    file: () =>
      xlsx(createInlineRow(1, 'email') + createInlineRow(3, 'a@b.de') + createInlineRow(2, 'b@b.de')),
    status: 422,
    says: DAMAGED_MESSAGE,
  },
]

export const HARMFUL_FILES: HostileFile[] = [
  {
    title: 'an endless line',
    file: () => `email,${'x'.repeat(3 * MB)}`,
    status: 413,
    says: /1,000,000 characters/,
  },
  {
    title: 'an endless quoted cell',
    file: () => `email\n"${'x\n'.repeat(MB)}`,
    status: 413,
    says: /1,000,000 characters/,
  },
  {
    title: 'more rows than allowed',
    file: () => `email\n${'a@example.com\n'.repeat(300_000)}`,
    status: 413,
    says: /200,000 rows/,
  },
  {
    title: 'one row repeated 300,000 times',
    file: () =>
      ods(`<table:table><table:table-row>${EMAIL_CELL}</table:table-row>
      <table:table-row table:number-rows-repeated="300000">${EMAIL_CELL}</table:table-row></table:table>`),
    status: 413,
    says: /200,000 rows/,
  },
  {
    title: 'a row repeated beyond the end of the sheet',
    file: () =>
      ods(
        `<table:table><table:table-row table:number-rows-repeated="999999999">${EMAIL_CELL}</table:table-row></table:table>`,
      ),
    status: 413,
    says: /1,048,576 rows/,
  },
  {
    title: 'too many columns',
    file: () => xlsx(createInlineRow(1, ...Array<string>(16_385).fill('x'))),
    status: 413,
    says: /16,384 columns/,
  },
  {
    title: 'a zip bomb',
    file: () => xlsx('', [{ name: 'xl/bomb.xml', content: Buffer.alloc(64 * MB) }]),
    status: 413,
    says: /200 times its size/,
  },
  {
    title: 'a zip bomb that claims to be small',
    file: () =>
      xlsx('', [{ name: 'xl/worksheets/any.xml', content: Buffer.alloc(64 * MB, ' '), claimedBytes: 1000 }]),
    status: 422,
    says: DAMAGED_MESSAGE,
  },
  {
    title: 'a duplicate part',
    file: () =>
      zip([
        { name: 'mimetype', content: 'a' },
        { name: 'mimetype', content: 'b' },
      ]),
    status: 422,
    says: /a part twice/,
  },
  {
    title: 'a billion laughs',
    file: () => xlsx(createInlineRow(1, 'email'), [{ name: 'xl/texts.xml', content: laughs() }]),
    status: 422,
    says: /DOCTYPE/,
  },
  {
    title: 'an external entity',
    file: () => {
      const content = `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><worksheet><sheetData>${createInlineRow(1, '&x;')}</sheetData></worksheet>`
      return xlsx('', [{ name: 'xl/worksheets/any.xml', content }])
    },
    status: 422,
    says: /DOCTYPE/,
  },
  {
    title: 'elements nested too deeply',
    file: () => xlsx('<x>'.repeat(100_000)),
    status: 413,
    says: /256 levels/,
  },
  {
    title: 'a long text that ten thousand cells share',
    file: () => {
      const texts = `<sst><si><t>${'x'.repeat(500_000)}</t></si></sst>`
      const row = `<row r="2">${'<c t="s"><v>0</v></c>'.repeat(10_000)}</row>`
      return xlsx(createInlineRow(1, 'email') + row, [{ name: 'xl/texts.xml', content: texts }])
    },
    status: 413,
    says: /Row 2 .*1,000,000 characters/,
  },
]

/** Returns a harmless file that a naive reader takes very long to read. */
export const createEmptyRows = () =>
  xlsx(createInlineRow(1, 'email') + '<row/>'.repeat(1_000_000) + createInlineRow(1_048_576, 'a@b.de'))

function laughs(): string {
  const entities = Array.from({ length: 10 }, (_, level) => {
    return `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`
  })
  return `<!DOCTYPE sst [<!ENTITY l0 "ha">${entities.join('')}]><sst><si><t>&l10;</t></si></sst>`
}

function createCompoundFile(name: string): Buffer {
  const container = CFB.utils.cfb_new()
  CFB.utils.cfb_add(container, name, Buffer.alloc(5000, 'x'))
  return CFB.write(container, { type: 'buffer' })
}
