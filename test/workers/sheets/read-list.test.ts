// Tests the process that reads a spreadsheet: how its parent reacts when it fails, is slow, or is no longer needed.
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { describeRowError } from '../../../shared/imports/headings.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { readList } from '../../../workers/sheets/read-list.ts'
import { createDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/time.ts'
import { readRefusal, readSample, SHEET_LIMITS } from './support/read.ts'

const LIST_LINE = 'a@example.com,Jane Doe\n'
const LONG_LIST = `email,name\n${LIST_LINE.repeat(200_000)}`

describe('the process that reads a spreadsheet', () => {
  it('fills a table of Postgres from a spreadsheet', async () => {
    const database = await createDatabase({ empty: true })
    const client = new pg.Client(database.databaseUrl)
    await client.connect()
    await client.query(`CREATE TABLE import_rows (row_number int, id bigint, email text, upn text, name text,
      attributes jsonb, groups text[], license_plates text[], errors jsonb)`)
    const sheet = readList(Readable.from([readSample('people.xlsx')]), SHEET_LIMITS)
    await pipeline(sheet.rows, client.query(copyFrom('COPY import_rows FROM STDIN')))
    const { rows } = await client.query(`SELECT row_number, name, groups, errors -> 'email' -> 0 AS error
      FROM import_rows ORDER BY row_number`)
    const write = ({ error, ...row }: (typeof rows)[number]) => ({
      ...row,
      error: error && writeEnglish(describeRowError(row.row_number, error)),
    })
    expect(rows.map(write)).to.deep.equal([
      { row_number: 2, name: 'Jane Müller 😀', groups: ['Sales', 'Team  & Co'], error: null },
      {
        row_number: 5,
        name: "'=1+1",
        groups: [],
        error: 'Row 5: the email must be a valid e-mail address (it is “joe@”).',
      },
    ])
    await client.end()
    await database.drop()
  })

  it('reports the columns of the file and the progress of reading', async () => {
    const told: number[] = []
    const sheet = readList(Readable.from([LONG_LIST]), SHEET_LIMITS, {
      onProgress: (rows) => told.push(rows),
    })
    sheet.rows.resume()
    const names = ['email', 'name']
    expect(await sheet.done).to.deep.equal({ columns: names, header: names, rows: 200_000 })
    expect(told.length).to.be.above(3)
  })

  it('waits while the consumer of the rows is busy', async () => {
    let told = 0
    const progress = { onProgress: (rows: number) => (told = rows) }
    const sheet = readList(Readable.from([LONG_LIST]), SHEET_LIMITS, progress)
    await eventually(() => expect(told).to.be.above(0))
    await wait(1_000)
    expect(told).to.be.below(50_000)
    sheet.rows.destroy()
  })

  it('refuses a file that needs too much memory', async () => {
    const refusal = await readRefusal(LONG_LIST, { ...SHEET_LIMITS, memoryMb: 4 })
    expect(refusal.status).to.equal(413)
    expect(refusal.message).to.match(/too much memory/)
  })

  it('refuses a file that takes too long, and never pretends that its rows are complete', async () => {
    const sheet = readList(new PassThrough(), { ...SHEET_LIMITS, timeMs: 200 })
    for (const outcome of await Promise.allSettled([sheet.done, consumeRows(sheet.rows)])) {
      expect(outcome).to.have.property('reason').that.is.instanceOf(Refusal)
      expect(outcome)
        .to.have.nested.property('reason.message')
        .that.matches(/longer than 1 second/)
    }
  })

  it('fails when the upload of its file fails', async () => {
    const file = new PassThrough()
    const sheet = readList(file, SHEET_LIMITS)
    file.write('email\n')
    file.destroy(new Error('the upload broke off'))
    const outcomes = await Promise.allSettled([sheet.done, consumeRows(sheet.rows)])
    for (const outcome of outcomes)
      expect(outcome).to.have.nested.property('reason.message', 'the upload broke off')
  })

  it('ends when the stream of its rows is destroyed', async () => {
    let told = 0
    const sheet = readList(Readable.from([LONG_LIST]), SHEET_LIMITS, { onProgress: (rows) => (told = rows) })
    await eventually(() => expect(told).to.be.above(0))
    sheet.rows.destroy()
    const [outcome] = await Promise.allSettled([sheet.done])
    expect(outcome).to.have.nested.property('reason.code', 'ERR_STREAM_PREMATURE_CLOSE')
  })
})

async function consumeRows(rows: Readable): Promise<void> {
  for await (const _ of rows);
}
