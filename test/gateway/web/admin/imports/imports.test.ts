// Tests the import of people in the dashboard: it is reviewed first, and then applied exactly as reviewed or
// not at all.

import { expect } from 'chai'
import exceljs from 'exceljs'
import papaparse from 'papaparse'
import { useSignedIn, Browser as Window } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  apply,
  awaitImport,
  download,
  importFile,
  reviewImport,
  sendImportFile,
} from '../../../../support/dashboard/import-wizard.ts'
import {
  createBooking,
  createGroup,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { countFiles, readPeople, readUserRows, removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const REVIEW_BUTTON = 'Review'
const UPDATE_OPTIONS = { update: 'true' }

describe('the import wizard for people', () => {
  const world = useWorld({ workers: ['writes', 'imports', 'exports'] })
  const browser = useSignedIn(world)
  beforeEach(async () => {
    await removeUsers(world.database)
    await world.database('files').delete()
  })

  const show = async (path: string, section: string, page = 1) => {
    await browser.open(`${path.split('?')[0]}?show=${section}&page=${page}`)
    return browser.words
  }

  it('previews people added, changed, refused, skipped and deactivated, and changes nothing yet', async () => {
    const { database } = world
    const ada = await createUser(database, {
      name: 'Ada',
      email: 'ada@example.com',
      extension_attributes: { extensionAttribute1: 'Old', extensionAttribute2: 'Kept' },
    })
    const group_id = await createGroup(database, { name: 'Sales' })
    await database('group_members').insert({ group_id, user_id: ada })
    await createVehicle(database, { user_id: ada, license_plate: 'HH 1' })
    await createUser(database, { name: 'Same', email: 'same@example.com' })
    await createUser(database, { name: 'Gone', email: 'gone@example.com', deactivated_at: new Date() })
    await createUser(database, { name: 'Kept', email: 'kept@example.com' })
    const left = await createUser(database, { name: 'Left Out', email: 'left@example.com' })
    await createBooking(database, { user_id: left, from: hoursFromNow(1), to: hoursFromNow(2) })
    const before = await readUserRows(database)
    const list = [
      'email,name,groups,license_plates,extensionAttribute1',
      'ada@example.com,Ada Lovelace,Research;Sales,,New',
      'same@example.com,Same,,,',
      'new@example.com,New,Research,B 2,Fresh',
      'gone@example.com,Gone,,,',
      `kept@example.com,Kept,,,${'x'.repeat(1025)}`,
      'same@example.com,Same,,,',
    ].join('\n')
    const path = await reviewImport(browser, list, { ...UPDATE_OPTIONS, deactivate: 'true' })
    expect(browser.words)
      .to.include('1 person will be added, 1 changed and 1 deactivated.')
      .and.include('2 rows skipped, 2 rows with errors.')
      .and.include('1 person appears only in a row with errors and is not deactivated.')
      .and.include('The extensionAttribute1 must be at most 1024 characters long')
      .and.include('This person already appears in row 3.')
    expect(await show(path, 'create')).to.include(
      '4 New new@example.com Groups: Research License plates: B 2',
    )
    expect(await show(path, 'change'))
      .to.include('Name: Ada → Ada Lovelace')
      .and.include('Groups: Sales → Research, Sales')
      .and.include('License plates: HH 1 → none')
      .and.include('extensionAttribute1: Old → New')
      .and.not.include('extensionAttribute2')
    expect(await show(path, 'skip'))
      .to.include('3 Same same@example.com No changes')
      .and.include('5 Gone gone@example.com Deactivated, and restoring is off')
    expect(await show(path, 'deactivate')).to.include('Left Out left@example.com 1')
    expect(await readUserRows(database)).to.deep.equal(before)
  })

  it('names columns that it does not know', async () => {
    const file = (header: string) => `${header}\nnew@example.com,New,HH 1,x\n`
    await reviewImport(browser, file('email,name,license_plates,What is wrong'))
    expect(browser.words).to.not.include('ignored')
    await reviewImport(browser, file('email,name,Vehicles,license_plates'))
    expect(browser.words).to.include('The unknown column “Vehicles” is ignored.')
    await reviewImport(browser, file('E-mail address,e,email,<b>'))
    expect(browser.words)
      .to.include('The unknown columns “E-mail address”, “e” and “<b>” are ignored.')
      .and.include('Nothing to apply.')
  })

  it('applies the reviewed changes, confirms this on the page, and deletes the file', async () => {
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    const reviewed = await reviewImport(
      browser,
      'email,name\nada@example.com,Ada Lovelace\nnew@example.com,New\nbad,Bad\n',
      UPDATE_OPTIONS,
    )
    const applied = await apply(browser)
    expect(browser.words).to.include('Import applied. 1 person was added and 1 changed.')
    const { people } = await readPeople(world.database)
    expect(people.map(({ name }) => name)).to.deep.equal(['Ada Lovelace', 'New'])
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
    const [entry] = await world.database('audit_log').where({ action: 'users.import' }).orderBy('id', 'desc')
    expect(entry).to.include({ actor_type: 'admin', actor_name: 'admin@example.com' })
    expect(entry.after).to.include({ created: 1, updated: 1, errors: 1, filename: 'people.csv' })
    await browser.open('/dashboard/people/import')
    expect(browser.page.text, 'listed once').to.include(applied).and.not.include(reviewed)
    // The page still offers the refused rows for download.
    await browser.open(`${applied}?show=error`)
    expect(String((await download(browser, 'csv')).bytes)).to.include('bad,Bad')
  })

  it('writes nothing if people have changed since the review, and shows the new differences', async () => {
    const id = await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    await reviewImport(
      browser,
      'email,name\nada@example.com,Ada Lovelace\nnew@example.com,New\n',
      UPDATE_OPTIONS,
    )
    await world.database('users').where({ id }).update({ name: 'Augusta' })
    const before = await readUserRows(world.database)
    const path = await apply(browser)
    expect(browser.words).to.include('Nothing was changed. People have changed since your review')
    expect(await readUserRows(world.database)).to.deep.equal(before)
    expect(await show(path, 'change')).to.include('Name: Augusta → Ada Lovelace')
    await apply(browser)
    expect(browser.words).to.include('Import applied.')
    expect((await readPeople(world.database)).people.map(({ name }) => name)).to.deep.equal([
      'Ada Lovelace',
      'New',
    ])
  })

  it('notices every kind of change of people since the review', async () => {
    const { database } = world
    const list = 'id,email,name,groups,license_plates,extensionAttribute1\n1,ada@example.com,B,G,P,X\n'
    const changes: Record<string, () => Promise<unknown>> = {
      'a name': () => database('users').where({ id: 1 }).update({ name: 'C' }),
      'an attribute': () =>
        database('users')
          .where({ id: 1 })
          .update({ extension_attributes: { extensionAttribute1: 'Y' } }),
      'a group': async () =>
        database('group_members').insert({ user_id: 1, group_id: await createGroup(database) }),
      'a plate': () => createVehicle(database, { user_id: 1 }),
      'a deactivation': () => database('users').where({ id: 1 }).update({ deactivated_at: new Date() }),
      'somebody who is left out': () => createUser(database),
      'an owner of the e-mail': () => createUser(database, { email: 'ADA@example.com' }),
    }
    for (const [what, change] of Object.entries(changes)) {
      await removeUsers(database)
      await createUser(database, { name: 'A', email: 'old@example.com' })
      await reviewImport(browser, list, { ...UPDATE_OPTIONS, deactivate: 'true', key_column: 'id' })
      await change()
      const before = await readUserRows(database)
      await apply(browser)
      expect(browser.words, what).to.include('Nothing was changed.')
      expect(await readUserRows(database), what).to.deep.equal(before)
    }
  })

  it('ignores changes since the review that do not concern the import', async () => {
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    const other = await createUser(world.database, { name: 'Other', email: 'other@example.com' })
    await reviewImport(browser, 'email,name\nada@example.com,Ada Lovelace\n', UPDATE_OPTIONS)
    await world.database('users').where({ id: other }).update({ name: 'Another' })
    await apply(browser)
    expect(browser.words).to.include('Import applied.')
  })

  it('applies once, even if the form is sent several times', async () => {
    const path = await reviewImport(browser, 'email,name\nnew@example.com,New\n')
    const form = browser.form('Apply: add 1')
    await browser.open(path)
    const another = browser.form('Apply: add 1')
    const sent = await Promise.all(
      [form, form, another].map(async (each) => {
        const window = new Window(world.url)
        for (const [name, value] of browser.cookies) window.cookies.set(name, value)
        const { status, headers } = await window.send(each, {}, { follow: false })
        return { status, path: headers.get('Location') }
      }),
    )
    // The second request gets an error if the first is still being accepted.
    for (const { status } of sent) expect(status).to.be.oneOf([303, 409])
    const paths = new Set(sent.filter(({ status }) => status === 303).map(({ path }) => path))
    expect(paths, JSON.stringify(sent)).to.have.property('size', 1)
    const [applied] = paths
    await awaitImport(browser, applied as string)
    expect(browser.words).to.include('Import applied.')
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length.at.least(1)
    expect(await world.database('users')).to.have.length(1)
    await browser.open(path)
    expect(browser.words).to.include('This import has already been submitted')
    await browser.send(another)
    expect(browser.page.path, 'later, too').to.equal(applied)
  })

  it('starts one import and keeps one file if its first form is sent twice', async () => {
    await browser.open('/dashboard/people/import')
    const form = browser.form(REVIEW_BUTTON)
    const file = importFile('email,name\nnew@example.com,New\n')
    const first = await browser.send(form, { file }, { follow: false })
    const second = await browser.send(form, { file }, { follow: false })
    expect(second.headers.get('Location')).to.equal(first.headers.get('Location'))
    await awaitImport(browser, first.headers.get('Location') ?? '')
    await eventually(async () => expect((await countFiles(world.database)).files).to.equal(1))
  })

  it('splits the rows of a section into pages', async () => {
    const rows = Array.from({ length: 205 }, (_, index) => `p${index}@example.com,P${index}`)
    const path = await reviewImport(browser, ['email,name', ...rows].join('\n'))
    expect(browser.words).to.include('To add 205').and.include('2 P0 p0@example.com')
    expect(await show(path, 'create', 2))
      .to.include('102 P100')
      .and.include('Next')
    expect(await show(path, 'create', 3))
      .to.include('206 P204')
      .and.not.include('Next')
    expect(await show(path, 'create', 4)).to.include('There is nothing on page 4.')
  })

  it('offers the refused rows with their errors as a file to correct and import again', async () => {
    const list =
      'E-Mail;Note;email;name\nx;"=1+1\nline";jane@;Jane\ny;fine;ok@example.com;Fine\nz;  ;bob@example.com;\n'
    await reviewImport(browser, list)
    const today = () => new Date().toISOString().slice(0, 10)
    const before = today()
    const csv = await download(browser, 'csv')
    // Accepts two dates, because the test may run past midnight.
    expect(csv.headers.get('Content-Disposition')).to.be.oneOf(
      [before, today()].map((day) => `attachment; filename="rows-with-errors-${day}.csv"`),
    )
    const { data } = papaparse.parse<string[]>(String(csv.bytes).trim())
    expect(data).to.deep.equal([
      ['E-Mail', 'Note', 'email', 'name', 'What is wrong'],
      ['x', "'=1+1\nline", 'jane@', 'Jane', 'The email must be a valid e-mail address (it is “jane@”).'],
      ['z', '  ', 'bob@example.com', '', 'The name is required for a new person.'],
    ])
    const book = new exceljs.Workbook()
    await book.xlsx.load((await download(browser, 'xlsx')).bytes as unknown as ArrayBuffer)
    const [sheet] = book.worksheets
    expect(sheet?.getCell('A1').font).to.include({ bold: true })
    expect(sheet?.views[0]).to.include({ state: 'frozen', ySplit: 1 })
    expect(sheet?.getCell('B2').value).to.equal('=1+1\nline')
    expect(sheet?.getCell('C2').fill).to.deep.include({ fgColor: { argb: 'FFFFC7CE' } })
    expect(sheet?.getCell('D2').fill, 'not refused').to.not.have.property('fgColor')
    expect(sheet?.getCell('D3').fill).to.deep.include({ fgColor: { argb: 'FFFFC7CE' } })
    expect(sheet?.getCell('E3').value).to.equal('The name is required for a new person.')
    const mended = String(csv.bytes)
      .replace('jane@,', 'jane@example.com,')
      .replace('bob@example.com,,', 'bob@example.com,Bob,')
    await reviewImport(browser, mended)
    await apply(browser)
    expect((await readPeople(world.database)).people.map(({ name }) => name)).to.deep.equal(['Bob', 'Jane'])
  })

  it('escapes hostile texts in files', async () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const rows = HOSTILE_TEXTS.map((text, index) => {
      const cell = quoted(text)
      return [
        `h${index}@example.com,${cell},${cell.replaceAll(';', ',')},${cell}`,
        `${cell},${cell},,`,
        `g${index}@example.com,,,`,
      ].join('\n')
    })
    await createUser(world.database, { name: HOSTILE_TEXTS[0], email: 'h1@example.com' })
    await createUser(world.database, { name: HOSTILE_TEXTS[1], email: 'left@example.com' })
    const list = ['email,name,groups,extensionAttribute1', ...rows].join('\n')
    const name = `${HOSTILE_TEXTS[1]}.csv`.replaceAll('"', "'")
    const path = await sendImportFile(browser, importFile(list, name), {
      ...UPDATE_OPTIONS,
      deactivate: 'true',
    })
    await awaitImport(browser, path)
    for (const section of ['create', 'change', 'error', 'skip', 'deactivate']) {
      await show(path, section)
      expect(browser.page.text).to.not.match(/<(script>|img|svg onload)|onmouseover='/)
    }
    await show(path, 'create')
    for (const text of HOSTILE_TEXTS.filter((_, index) => index !== 1))
      expectHarmless(browser.page.text, text)
    await browser.open('/dashboard/people/import')
    expect(browser.page.text).to.not.match(/<img/)
  })
})
