// Creates input for the tested file writers, and collects their output.
import fc from 'fast-check'
import papaparse from 'papaparse'
import { isPlainText } from '../../../../shared/utilities/texts.ts'

/** Yields batches of various sizes. */
export async function* splitIntoBatches(table: string[][]): AsyncGenerator<string[][]> {
  for (let from = 0, size = 1; from < table.length; from += size++) yield table.slice(from, from + size)
}

/**
 * Returns a csv file of another program, with an apostrophe that prevents spreadsheets from treating a cell as a
 * formula.
 */
export function createForeignCsv(table: string[][]): Buffer {
  const guard = (cell: string) =>
    /^'*[=+\-@\t\r]/.test(cell) && !/^\+[\d ]+$/.test(cell) ? `'${cell}` : cell
  return Buffer.from(
    `${papaparse.unparse(
      table.map((row) => row.map(guard)),
      { newline: '\r\n' },
    )}\r\n`,
  )
}

export async function collectBytes(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** Generates texts that the database can store, often with characters that are special in csv, XML or spreadsheets. */
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
