import { expect } from 'chai'
import fc from 'fast-check'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { CsvSplitter } from '../../../workers/sheets/formats/read-csv.ts'
import { readCells, stageFile } from './support/read.ts'
import { createForeignCsv, texts } from './support/write.ts'

describe('the reader of csv and txt files', () => {
  for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', pipe: '|' })) {
    it(`detects the ${name} as the delimiter in the header`, async () => {
      const rows = await readCells(
        ['Name', 'EMAIL', 'a,b;c'].join(delimiter).concat('\nJane,;|\tDoe', delimiter, 'x'),
      )
      expect(rows[0]?.cells.slice(0, 2)).to.deep.equal(['Name', 'EMAIL'])
    })
  }

  it('reads a file with one column, with or without a final line end', async () => {
    expect((await stageFile('email\na@example.com')).rows).to.have.length(1)
    expect((await stageFile('email\r\na@example.com\r\n')).done).to.equal(1)
  })

  it('decodes UTF-8, UTF-16 and Windows-1252', async () => {
    const text = 'email;name\na@example.com;Müller – „€“\n'
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
    const windows = Buffer.from(
      text.replace(/[–„€“ü]/g, (sign) =>
        String.fromCharCode({ '–': 0x96, '„': 0x84, '€': 0x80, '“': 0x93, ü: 0xfc }[sign] ?? 0),
      ),
      'latin1',
    )
    const files = [text, `\ufeff${text}`, utf16, Buffer.from(utf16).swap16(), windows]
    for (const file of files) {
      expect((await readCells(file)).map(({ cells }) => cells)).to.deep.equal([
        ['email', 'name'],
        ['a@example.com', 'Müller – „€“'],
      ])
    }
  })

  it('numbers records rather than lines, and counts empty records', async () => {
    const { rows, done } = await stageFile(
      'email,name\n"a@example.com","two\nlines"\n\n , \nb@example.com,B\n',
    )
    expect(rows.map(({ row_number, name }) => [row_number, name])).to.deep.equal([
      [2, 'two\nlines'],
      [5, 'B'],
    ])
    expect(done).to.equal(2)
  })

  it('accepts any mixture of line ends, and quotes in the middle of a cell', () => {
    const splitter = new CsvSplitter(',')
    const records = [...splitter.push('a,5" screen\r\n"b ""x""\r\n",2\r"c"\n'), ...splitter.end()]
    expect(records).to.deep.equal([['a', '5" screen'], ['b "x"\r\n', '2'], ['c']])
  })

  it('reads the same rows, wherever the chunks of the text end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n'), maxLength: 40 }),
        fc.nat(40),
        (text, cut) => {
          expect(splitCsv(text.slice(0, cut), text.slice(cut))).to.deep.equal(splitCsv(text))
        },
      ),
    )
  })

  it('removes one apostrophe at the start of a potential formula', async () => {
    const [, row] = await readCells("email,a,b,c,d\n'=1,''=1,'x,'+49 1,'\n")
    expect(row?.cells).to.deep.equal(['=1', "'=1", "'x", '+49 1', "'"])
  })

  it('reads the csv output of another program', async () => {
    const tables = fc.array(fc.array(texts(), { minLength: 2, maxLength: 3 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const rows = await readCells(createForeignCsv([['id', 'email'], ...table]))
        expect(rows.slice(1).map(({ cells }) => cells)).to.deep.equal(table)
      }),
    )
  })
})

function splitCsv(...pieces: string[]): string[][] | string {
  const splitter = new CsvSplitter(',')
  try {
    return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
