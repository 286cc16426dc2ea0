// Tests lines in the format of COPY with Postgres itself.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { isPlainText } from '../../../../shared/utilities/texts.ts'
import {
  formatArrayLiteral,
  formatCopyLine,
  parseCopiedRows,
} from '../../../../workers/sheets/formats/copy-format.ts'
import { useDatabase } from '../../../support/databases.ts'
import { useWith } from '../../../support/use.ts'

const needsNoEscape = (text: string) => JSON.stringify(text) === `"${text}"`

describe('the writer and the reader of COPY lines', () => {
  const own = useDatabase({ empty: true })
  const client = useWith(
    own,
    () => new pg.Client(own.databaseUrl),
    (opened) => opened.end(),
  )
  before(async () => {
    await client.connect()
    await client.query(
      'CREATE TABLE rows (number int, id bigint, name text, groups text[], attributes jsonb)',
    )
  })

  it('transfer every text, list and object to Postgres unchanged', async () => {
    const special = fc.constantFrom(
      '\\N',
      '\\.',
      '\\',
      '\t',
      '\n',
      '\r',
      '"',
      '{',
      '}',
      ',',
      'NULL',
      '\\t',
      ' ',
      '',
    )
    const text = fc
      .array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 })
      .map((parts) => parts.join(''))
      .filter(isPlainText)
    const row = fc.record({
      name: fc.option(text),
      groups: fc.array(text),
      // Excludes column names that need JSON escapes, which Node 24 and 26 sometimes misread (nodejs/node#63785).
      attributes: fc.dictionary(text.filter(needsNoEscape), text),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        await client.query('TRUNCATE rows')
        const lines = rows.map(({ name, groups, attributes }, number) =>
          formatCopyLine([
            number,
            Number.MAX_SAFE_INTEGER,
            name,
            formatArrayLiteral(groups),
            JSON.stringify(attributes),
          ]),
        )
        await pipeline(
          Readable.from([Buffer.from(lines.join(''))]),
          client.query(copyFrom('COPY rows FROM STDIN')),
        )
        const { rows: found } = await client.query(
          'SELECT name, groups, attributes FROM rows ORDER BY number',
        )
        expect(found.map((each) => ({ ...each }))).to.deep.equal(rows.map((each) => ({ ...each })))
      }),
      { numRuns: 50 },
    )
  })

  it('read every text from Postgres unchanged, wherever its chunks end', async () => {
    const special = fc.constantFrom(
      '\\N',
      '\\.',
      '\\',
      '\t',
      '\n',
      '\r',
      '\b',
      '\f',
      '\v',
      '\\t',
      'ü',
      '😀',
      '',
    )
    const text = fc
      .array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 })
      .map((parts) => parts.join(''))
      .filter(isPlainText)
    const tables = fc.array(fc.tuple(fc.option(text), text), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 9 }), async (table, pieceBytes) => {
        await client.query('TRUNCATE rows')
        for (const [number, pair] of table.entries())
          await client.query('INSERT INTO rows (number, name, groups) VALUES ($1, $2, $3)', [
            number,
            pair[0],
            [pair[1]],
          ])
        const copied = client.query(
          copyTo('COPY (SELECT number, name, groups[1] FROM rows ORDER BY number) TO STDOUT'),
        )
        const found: string[][] = []
        for await (const batch of parseCopiedRows(splitIntoPieces(copied, pieceBytes))) found.push(...batch)
        expect(found).to.deep.equal(table.map(([name, other], number) => [String(number), name ?? '', other]))
      }),
      { numRuns: 30 },
    )
  })
})

async function* splitIntoPieces(stream: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  for await (const whole of stream)
    for (let from = 0; from < whole.length; from += bytes) yield whole.subarray(from, from + bytes)
}
