// Held against Postgres itself.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { isPlain } from '../../shared/texts.ts'
import { arrayLiteral, copyLine } from '../../workers/sheets/copy-format.ts'
import { createDatabase } from '../support/databases.ts'

describe('a line for COPY', () => {
  let client: pg.Client
  let drop: () => Promise<void>

  before(async () => {
    const database = await createDatabase({ empty: true })
    drop = database.drop
    client = new pg.Client(database.url)
    await client.connect()
    await client.query(
      'CREATE TABLE rows (number int, id bigint, name text, groups text[], attributes jsonb)',
    )
  })

  after(async () => {
    await client.end()
    await drop()
  })

  it('brings every text, list and object to Postgres as it is', async () => {
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
      .filter(isPlain)
    const row = fc.record({
      name: fc.option(text),
      groups: fc.array(text),
      attributes: fc.dictionary(text, text),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        await client.query('TRUNCATE rows')
        const lines = rows.map(({ name, groups, attributes }, number) =>
          copyLine([number, Number.MAX_SAFE_INTEGER, name, arrayLiteral(groups), JSON.stringify(attributes)]),
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
})
