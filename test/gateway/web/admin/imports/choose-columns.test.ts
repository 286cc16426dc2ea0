// Tests an import of people from a file with unknown headings: an administrator chooses the columns, and
// continues as usual.
import { expect } from 'chai'
import exceljs from 'exceljs'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  apply,
  awaitImport,
  reviewImport,
  sendImportFile,
} from '../../../../support/dashboard/import-wizard.ts'
import { readPeople, removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const REVIEW_BUTTON = 'Review'

describe('the import of a file with unknown headings', () => {
  const world = useWorld({ workers: ['imports', 'exports'] })
  const browser = useSignedIn(world)
  beforeEach(async () => {
    await removeUsers(world.database)
    await world.database('import_layouts').delete()
  })

  const send = async (bytes: Uint8Array, name: string) => {
    const path = await sendImportFile(browser, new File([new Uint8Array(bytes)], name))
    await awaitImport(browser, path)
    return path
  }
  const chosen = () => {
    const { controls } = browser.form(REVIEW_BUTTON)
    return Object.fromEntries(
      controls.filter(({ name }) => name.startsWith('column_')).map(({ name, value }) => [name, value]),
    )
  }
  const review = async (fields: Record<string, string> = {}) => {
    const { path, status } = await browser.submit(REVIEW_BUTTON, fields)
    expect(status, browser.words).to.equal(200)
    await awaitImport(browser, path)
  }

  const excel = async () => {
    const book = new exceljs.Workbook()
    book.addWorksheet('Hinweise').addRow(['Bitte nicht weitergeben'])
    const sheet = book.addWorksheet('Personal')
    sheet.addRows([
      ['Mitarbeiterliste', 'Stand 1.11.2026'],
      [],
      ['Personalnr.', 'Nachname', 'Vorname', 'E-Mail', 'Abteilung', 'Team'],
      [4711, 'Lovelace', 'Ada', 'ada@example.com', 'Forschung', 'Kern'],
      [4712, 'Zuse', 'Konrad', 'konrad@', 'Technik', ''],
      [4713, 'Noether', 'Emmy', 'emmy@example.com', 'Forschung', ''],
    ])
    return new Uint8Array(await book.xlsx.writeBuffer())
  }

  it('takes only one more click for a semicolon-separated file from a German Excel', async () => {
    const text = 'Vorname;Nachname;E-Mail;Abteilung\r\nJürgen;Groß;juergen@example.com;Einkauf, Süd\r\n'
    await send(Buffer.from(text, 'latin1'), 'Mitarbeiter.csv')
    expect(browser.words).to.include('First rows of the file').and.include('Jürgen')
    expect(chosen()).to.deep.equal({
      column_0: 'first_name',
      column_1: 'last_name',
      column_2: 'email',
      column_3: 'groups',
    })
    await review()
    expect(browser.words).to.include('2 Jürgen Groß juergen@example.com Groups: Einkauf, Süd')
    expect(browser.page.text, 'apart from the buttons above').to.match(
      /class="buttons"><a [^>]*>Change columns/,
    )
    await apply(browser)
    expect((await readPeople(world.database)).people.map(({ name }) => name)).to.deep.equal(['Jürgen Groß'])
  })

  it('finds the sheet and headings of a workbook, and numbers rows like the file', async () => {
    await send(await excel(), 'Personal.xlsx')
    expect(chosen()).to.include({ column_0: '', column_1: 'last_name', column_2: 'first_name', column_5: '' })
    await review({ column_5: 'groups' })
    expect(browser.words).to.include('2 people will be added').and.include('1 row with errors')
    expect(browser.words).to.include('The email must be a valid e-mail address')
    await browser.open(`${browser.page.path}?show=create`)
    expect(browser.words)
      .to.include('4 Ada Lovelace ada@example.com Groups: Forschung, Kern')
      .and.include('6 Emmy Noether emmy@example.com Groups: Forschung')
      .and.not.include('ignored')
  })

  it('lets the administrator choose another sheet and other headings', async () => {
    const path = await send(await excel(), 'Personal.xlsx')
    await browser.follow('Hinweise')
    expect(browser.words).to.include('Bitte nicht weitergeben')
    await browser.open(`${path}?sheet=1&heading_row=1`)
    expect(browser.form(REVIEW_BUTTON).controls.find(({ name }) => name === 'heading_row')?.value).to.equal(
      '1',
    )
    await review({ column_0: 'name', column_1: 'email' })
    expect(browser.words).to.include('The email must be')
    await browser.follow('Change columns')
    expect(browser.page.path).to.equal(path)
  })

  it('remembers the chosen columns for files with the same headings', async () => {
    const file = (name: string) => Buffer.from(`Wer;Wo\n${name};${name}@example.com\n`)
    await send(file('ada'), 'a.csv')
    expect(chosen()).to.deep.equal({ column_0: '', column_1: '' })
    await review({ column_0: 'name', column_1: 'email' })
    await send(Buffer.from('Titel\n\nWER;WO\nemmy;emmy@example.com\n'), 'b.csv')
    expect(chosen()).to.deep.equal({ column_0: 'name', column_1: 'email' })
    await review()
    expect(browser.words).to.include('4 emmy emmy@example.com')
    expect(await world.database('import_layouts')).to.have.length(1)
  })

  it('refuses a choice without an e-mail column, or with the same column twice', async () => {
    await send(Buffer.from('Wer;Wo;Was\nada;ada@example.com;x\n'), 'a.csv')
    const refused = async (fields: Record<string, string>) => {
      expect((await browser.submit(REVIEW_BUTTON, fields)).status).to.equal(422)
      return browser.words
    }
    expect(await refused({ column_0: 'name', column_1: '', column_2: '' })).to.include(
      'Choose the column that has the e-mail addresses.',
    )
    expect(await refused({ column_0: 'email', column_1: 'email', column_2: '' })).to.include(
      'Another column already has this role.',
    )
    expect(await refused({ column_0: 'name', column_1: 'email', column_2: 'first_name' })).to.include(
      'Choose either the name, or first name and last name.',
    )
    expect((await browser.submit(REVIEW_BUTTON, { heading_row: '9' })).status).to.equal(422)
    expect(await world.database('import_layouts')).to.have.length(0)
  })

  it('asks only the administrator who uploaded the file, and only about unknown headings', async () => {
    await reviewImport(browser, 'email,name\nada@example.com,Ada\n')
    expect(browser.page.text).to.include('Apply: add 1').and.not.include('Change columns')
    const path = await send(Buffer.from('Wer;Wo\nada;ada@example.com\n'), 'a.csv')
    await browser.open('/dashboard/people/import')
    expect(browser.words).to.include('columns to choose')
    const other = await createSignedIn(world, 'other@example.com')
    await other.open(path)
    expect(other.words).to.include('Only admin@example.com').and.not.include('ada@example.com')
  })
})
