// Tests files of other programs. LibreOffice 7.4 created people.* from people.fods.
import { expect } from 'chai'
import { readCells, readSample, stageFile } from './support/read.ts'
import { createInlineRow, ods, xlsx } from './support/zip.ts'

const JANE_ROW = {
  row_number: 2,
  id: '12',
  email: 'Jane@Example.com',
  upn: null,
  name: 'Jane Müller 😀',
  attributes: {
    extensionAttribute1: '2026-11-20',
    extensionAttribute2: '2026-11-20T09:30:00',
    extensionAttribute3: '09:30:15',
    extensionAttribute4: 'TRUE',
    extensionAttribute5: '00042',
    extensionAttribute6: '12.50',
    extensionAttribute7: '50%',
    extensionAttribute8: '3',
    extensionAttribute9: 'ab',
    extensionAttribute10: '123456789012345000000',
    extensionAttribute11: 'one\ntwo',
  },
  groups: ['Sales', 'Team  & Co'],
  license_plates: ['B-XY 1'],
  errors: null,
}

describe('the reader of spreadsheets', () => {
  for (const format of ['ods', 'xlsx', 'xls']) {
    it(`reads what a person would see in the first visible sheet of an ${format} file`, async () => {
      const { columns, rows, done } = await stageFile(readSample(`people.${format}`))
      expect(columns.slice(0, 6)).to.deep.equal([
        'id',
        'email',
        'name',
        'groups',
        'license_plates',
        'extensionAttribute1',
      ])
      expect(rows[0]).to.deep.equal(JANE_ROW)
      // The csv export puts an apostrophe before a formula; the xlsx export does not.
      const name = format === 'xlsx' ? "'=1+1" : '=1+1'
      expect(rows[1]).to.include({ row_number: 5, id: null, email: 'joe@', name })
      expect(rows[1]?.errors).to.deep.equal({
        email: ['Row 5: the email must be a valid e-mail address (it is “joe@”).'],
      })
      expect(done).to.equal(2)
    })
  }

  it('reads shared, formatted and escaped texts of an xlsx file, but no phonetic guides', async () => {
    const rows = `<row><c t="s"><v>0</v></c><c t="inlineStr"><is><r><t>Rich </t></r><r><t>text</t></r></is></c>
      <c t="str"><f>A1</f><v>a_x000D_b &amp;lt;</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>0</v></c></row>`
    const texts = `<sst><si><r><t xml:space="preserve">Jane </t></r><r><t>Doe</t></r><rPh><t>spoken</t></rPh></si></sst>`
    const [row] = await readCells(xlsx(rows, [{ name: 'xl/texts.xml', content: texts }]))
    expect(row?.cells).to.deep.equal(['Jane Doe', 'Rich text', 'a\rb &lt;', '#N/A', 'FALSE'])
  })

  it('reads characters that are split between two chunks of an xlsx file', async () => {
    const names = Array.from({ length: 20_000 }, (_, place) => `${'x'.repeat(place % 7)}üß😀`)
    const rows = await readCells(xlsx(names.map((name, place) => createInlineRow(place + 1, name)).join('')))
    expect(rows.map(({ cells }) => cells[0])).to.deep.equal(names)
  })

  it('reads a distant cell of an xlsx file without creating the empty cells before that cell', async () => {
    const far = '<row r="1048576"><c r="XFD1048576"><v>1E+2</v></c></row>'
    const rows = await readCells(xlsx(createInlineRow(1, 'email') + far))
    expect(rows[1]?.number).to.equal(1_048_576)
    expect(rows[1]?.cells[16_383]).to.equal('100')
  })

  it('counts repeated rows and columns of an ods file, and skips notes and tables within cells', async () => {
    const cell = (text: string, more = '') =>
      `<table:table-cell ${more}><office:annotation><text:p>note</text:p></office:annotation><text:p>${text}</text:p></table:table-cell>`
    const nested = `<table:table-cell><table:table><table:table-row>${cell('inner')}</table:table-row></table:table></table:table-cell>`
    const rows = await readCells(
      ods(`<table:table>
        <table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>
        <table:table-row table:number-rows-repeated="2">${cell('a<text:s text:c="2"/>b', 'table:number-columns-repeated="2"')}${nested}${cell('c')}</table:table-row>
        <table:table-row table:number-rows-repeated="1048571"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
      </table:table>`),
    )
    expect(rows.map(({ number }) => number)).to.deep.equal([4, 5])
    expect(Object.entries(rows[0]?.cells ?? [])).to.deep.equal([
      ['0', 'a  b'],
      ['1', 'a  b'],
      ['3', 'c'],
    ])
  })
})
