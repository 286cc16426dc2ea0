import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import exceljs from 'exceljs'
import fc from 'fast-check'
import { writeXlsx } from '../../../../workers/sheets/write/xlsx.ts'
import { readCells } from '../support/read.ts'
import { collectBytes, splitIntoBatches, texts } from '../support/write.ts'

const USERS = { name: 'Users', isNumber: (column: number) => column === 0 }

describe('the writer of xlsx files', () => {
  const load = async (table: string[][]) => {
    const bytes = await collectBytes(writeXlsx(['id', 'email', 'upn'], splitIntoBatches(table), USERS))
    const workbook = new exceljs.Workbook()
    await workbook.xlsx.load(bytes as unknown as ArrayBuffer)
    const [sheet] = workbook.worksheets
    if (!sheet) throw new Error('There is no sheet')
    return sheet
  }

  it('writes texts and numeric ids unchanged', async () => {
    const row = (await load([['12', '=1+1', '0042']])).getRow(2)
    expect([1, 2, 3].map((place) => row.getCell(place).value)).to.deep.equal([12, '=1+1', '0042'])
  })

  it('writes text cells, so that a spreadsheet does not change a plate of digits', async () => {
    const sheet = await load([['12', '0042']])
    expect(sheet.getCell('B2').numFmt).to.equal('@')
    expect(sheet.getCell('B2').type).to.equal(exceljs.ValueType.String)
  })

  it('writes an id that a spreadsheet would round as text', async () => {
    const sheet = await load([['9007199254740993', 'a']])
    expect(sheet.getCell('A2').value).to.equal('9007199254740993')
  })

  it('names columns beyond Z like a spreadsheet program does', async () => {
    const table = [Array.from({ length: 105 }, (_, place) => `cell ${place}`)]
    const bytes = await collectBytes(writeXlsx(table[0] ?? [], splitIntoBatches(table), USERS))
    const [, row] = await readCells(bytes)
    expect(row?.cells).to.deep.equal(table[0])
  })

  it('writes files that can be read back unchanged', async () => {
    const row = fc.tuple(fc.nat(), texts(), texts()).map(([id, ...more]) => [String(id), ...more])
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (table) => {
        const bytes = await collectBytes(writeXlsx(['id', 'email', 'name'], splitIntoBatches(table), USERS))
        const rows = await readCells(bytes)
        expect(rows.slice(1).map(({ cells }) => [0, 1, 2].map((place) => cells[place] ?? ''))).to.deep.equal(
          table,
        )
      }),
      { numRuns: 60 },
    )
  })

  it('takes only as many rows as the reader of the file requests', async () => {
    let taken = 0
    const endless = async function* (): AsyncGenerator<string[][]> {
      for (;;) yield [[String(++taken), `user${taken}@example.com`, 'x'.repeat(taken % 100)]]
    }
    for await (const _ of writeXlsx(['id', 'email', 'name'], endless(), USERS)) {
      await wait(100)
      break
    }
    expect(taken).to.be.below(20_000)
    const atEnd = taken
    await wait(50)
    expect(taken).to.equal(atEnd)
  })

  it('reports an error of the row source, and ends', async () => {
    async function* failing(): AsyncGenerator<string[][]> {
      yield [['1', 'a']]
      throw new Error('away')
    }
    const outcome = await collectBytes(writeXlsx(['id', 'email'], failing(), USERS)).catch(
      (error: Error) => error.message,
    )
    expect(outcome).to.equal('away')
  })
})
