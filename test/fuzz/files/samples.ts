// Creates valid import files in all five formats from a seed.
import { utils, write } from '@e965/xlsx'
import type { Random } from '../../harness/random.ts'

export type ImportFile = { name: string; bytes: Buffer }
export type Format = 'csv' | 'txt' | 'ods' | 'xls' | 'xlsx'

export const FORMATS: Format[] = ['csv', 'txt', 'ods', 'xls', 'xlsx']

const COLUMN_NAMES = [
  'name',
  'id',
  'upn',
  'extensionAttribute1',
  'extensionAttribute99',
  'groups',
  'license_plates',
  'unknown',
]
const CELL_VALUES = [
  '',
  'Anna',
  'Zoë ß',
  '会議',
  '😀',
  '1',
  '007',
  'B-AB 1;B-CD 2',
  '=1+1',
  "'=1",
  '+49 30',
  'TRUE',
  '1.5',
  'a "b" c',
]

export function createSampleFile(random: Random, format: Format = random.pick(FORMATS)): ImportFile {
  const table = createSampleTable(random)
  return { name: `people.${format}`, bytes: writeTable(table, format, random) }
}

function createSampleTable(random: Random): string[][] {
  const columns = COLUMN_NAMES.filter(() => random.chance(0.6))
  const rows = Array.from({ length: 1 + random.below(12) }, () => [
    `person+${random.below(300)}@example.com`,
    ...columns.map((column) => (column === 'id' ? String(random.below(60)) : random.pick(CELL_VALUES))),
  ])
  return [['email', ...columns], ...rows]
}

function writeTable(table: string[][], format: Format, random: Random): Buffer {
  if (format === 'csv' || format === 'txt') return writeText(table, format, random)
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet(table), 'People')
  const bookType = format === 'xls' ? random.pick(['biff8', 'biff5'] as const) : format
  return write(book, { type: 'buffer', bookType, compression: random.chance(0.5) }) as Buffer
}

function writeText(table: string[][], format: 'csv' | 'txt', random: Random): Buffer {
  const delimiter = format === 'txt' ? '\t' : random.pick([',', ';', '|'])
  const quote = (cell: string) => (/[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const text = table.map((row) => row.map(quote).join(delimiter)).join(random.pick(['\n', '\r\n', '\r']))
  const encoding = random.pickKey({ utf8: 4, bom: 1, utf16: 1, latin1: 1 })
  if (encoding === 'utf16') return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (encoding === 'latin1') return Buffer.from(text, 'latin1')
  return Buffer.from(encoding === 'bom' ? `\ufeff${text}` : text)
}
