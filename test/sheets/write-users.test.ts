import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import exceljs from 'exceljs'
import fc from 'fast-check'
import { writeCsv, writeXlsx } from '../../workers/sheets/write-users.ts'
import { cellsOf } from './support/read.ts'
import { collect, rowsOf, texts } from './support/write.ts'

describe('writing a user list', () => {
  it('puts an apostrophe before a formula of a csv, but not before a telephone number', async () => {
    const csv = await collect(writeCsv(['id', 'email'], rowsOf([['1', '=1+1', '+49 30 1', "'@a", 'a,"b"']])))
    expect(csv.toString()).to.equal(`id,email\r\n1,'=1+1,+49 30 1,''@a,"a,""b"""\r\n`)
  })

  it('writes texts and numeric ids into an xlsx, as they are', async () => {
    const bytes = await collect(writeXlsx(['id', 'email'], rowsOf([['12', '=1+1', '0042']])))
    const workbook = new exceljs.Workbook()
    await workbook.xlsx.load(bytes as unknown as ArrayBuffer)
    const row = workbook.worksheets[0]?.getRow(2)
    expect([1, 2, 3].map((place) => row?.getCell(place).value)).to.deep.equal([12, '=1+1', '0042'])
  })

  it('writes an xlsx that is read back as it was', async () => {
    const row = fc.tuple(fc.nat(), texts(), texts()).map(([id, ...more]) => [String(id), ...more])
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (table) => {
        const bytes = await collect(writeXlsx(['id', 'email', 'name'], rowsOf(table)))
        const rows = await cellsOf(bytes)
        expect(rows.slice(1).map(({ cells }) => [0, 1, 2].map((place) => cells[place] ?? ''))).to.deep.equal(
          table,
        )
      }),
      { numRuns: 60 },
    )
  })

  it('takes no more rows than somebody reads', async () => {
    for (const write of [writeCsv, writeXlsx]) {
      let taken = 0
      const endless = async function* (): AsyncGenerator<string[]> {
        for (;;) yield [String(++taken), `user${taken}@example.com`, 'x'.repeat(taken % 100)]
      }
      for await (const _ of write(['id', 'email', 'name'], endless())) {
        await wait(100)
        break
      }
      expect(taken).to.be.below(20_000)
    }
  })

  it('tells a failure of the rows, and ends', async () => {
    async function* failing(): AsyncGenerator<string[]> {
      yield ['1', 'a']
      throw new Error('away')
    }
    for (const write of [writeCsv, writeXlsx]) {
      const outcome = await collect(write(['id', 'email'], failing())).catch((error: Error) => error.message)
      expect(outcome).to.equal('away')
    }
  })
})
