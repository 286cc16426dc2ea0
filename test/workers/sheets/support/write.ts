// What writers are given, and what they gave.
import fc from 'fast-check'
import papaparse from 'papaparse'
import { isPlainText } from '../../../../shared/utilities/texts.ts'

/** In batches of all sizes. */
export async function* batchesOf(table: string[][]): AsyncGenerator<string[][]> {
  for (let from = 0, size = 1; from < table.length; from += size++) yield table.slice(from, from + size)
}

/** A csv by other hands, with the apostrophe that keeps a spreadsheet from taking a cell for a formula. */
export function foreignCsv(table: string[][]): Buffer {
  const guard = (cell: string) =>
    /^'*[=+\-@\t\r]/.test(cell) && !/^\+[\d ]+$/.test(cell) ? `'${cell}` : cell
  return Buffer.from(
    `${papaparse.unparse(
      table.map((row) => row.map(guard)),
      { newline: '\r\n' },
    )}\r\n`,
  )
}

export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** Texts that the database can hold, and among them often those that mean something to csv, XML or a spreadsheet. */
export function texts(): fc.Arbitrary<string> {
  const special = fc.constantFrom(
    "'=1+1",
    '+49 30 123',
    '-1',
    '@a',
    "''",
    '"',
    ',',
    ';',
    '\r\n',
    '\r',
    '\n',
    '\t',
    ' a ',
    '0012',
    '1e5',
    '_x0041_',
    '_x000D_',
    '&lt;',
    ']]>',
    '<b>',
    '\ufeff',
    '\uffff',
    '\u2028',
    '€',
    '😀',
    '__proto__',
  )
  const mixed = fc.array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 4 })
  return mixed.map((parts) => parts.join('')).filter(isPlainText)
}
