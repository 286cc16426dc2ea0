// What writers are given, and what they gave.
import fc from 'fast-check'
import { isPlain } from '../../../shared/texts.ts'

export async function* rowsOf(table: string[][]): AsyncGenerator<string[]> {
  yield* table
}

export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** Texts that the database can hold, and among them often those that mean something to csv, XML or a spreadsheet. */
export function texts(): fc.Arbitrary<string> {
  const special = fc.constantFrom(
    ...[
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
    ],
    ...['_x0041_', '_x000D_', '&lt;', ']]>', '<b>', '\ufeff', '\uffff', '\u2028', '€', '😀', '__proto__'],
  )
  const mixed = fc.array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 4 })
  return mixed.map((parts) => parts.join('')).filter(isPlain)
}
