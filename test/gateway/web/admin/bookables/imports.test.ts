// Tests the import of desks, rooms and parking spots from a file: it is reviewed first, and then applied
// exactly as reviewed or not at all.
import { expect } from 'chai'
import papaparse from 'papaparse'
import { createImportTemplate } from '../../../../../gateway/web/admin/bookables/imports.ts'
import {
  createSignedIn,
  type Form,
  useSignedIn,
  Browser as Window,
} from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  apply,
  awaitImport,
  download,
  importFile,
  sendImportFile,
} from '../../../../support/dashboard/import-wizard.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { countFiles } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

describe('importing desks, rooms and parking spots', () => {
  const world = useWorld({ workers: ['writes', 'imports', 'exports'] })
  const browser = useSignedIn(world)
  let location_id: number
  beforeEach(async () => {
    location_id = await createLocation(world.database, { name: '3rd floor' })
    await world.database('files').delete()
  })

  const add = (row: object) => createBookable(world.database, { location_id, ...row })
  const rows = () => world.database('bookables').where({ location_id }).orderBy('id')
  const start = () => `/dashboard/places/locations/${location_id}/import`
  const send = (text: string, name = 'desks.csv') =>
    sendImportFile(browser, importFile(text, name), {}, start())
  const review = async (text: string) => {
    const path = await send(text)
    await awaitImport(browser, path)
    return path
  }
  const show = async (path: string, section: string) => {
    await browser.open(`${path}?show=${section}`)
    return browser.words
  }
  const entries = (action: string) => world.database('audit_log').where({ action }).orderBy('id')

  it('starts on the page of a floor, previews each row, and changes nothing yet', async () => {
    await add({ name: 'Desk 1', tags: ['window'], capacity: 1, position_x: 0.5, position_y: 0.5 })
    await add({ name: 'Same', type: 1 })
    const before = await rows()
    await browser.open(`/dashboard/places/locations/${location_id}`)
    await browser.follow('Import from a file')
    expect(browser.page.path).to.equal(start())
    const list = [
      'name,type,tags,description,status,capacity,x,y,colour',
      'desk 1,meeting room,"screen; phone",Round,blocked,8,10,20.5,red',
      'New,,quiet,,,,,,',
      'P-1,parking spot,,,,,,,',
      'same,,,,,,,,',
      'Sofa,sofa,,,,,,,',
      'NEW,,,,,,,,',
    ].join('\n')
    const path = await review(list)
    expect(browser.words)
      .to.include('2 rows will be added. 2 rows will be changed. 2 rows have errors.')
      .and.include('The unknown column “colour” is ignored.')
      .and.include('Rows with errors are left out.')
      .and.include(
        '6 Sofa Type The type must be desk, parking spot, meeting room or home office (it is “sofa”).',
      )
      .and.include('7 NEW Name The name was already used in row 3.')
    expect(await show(path, 'create'))
      .to.include('3 New Type: Desk Tags: quiet')
      .and.include('4 P-1 Type: Parking spot')
    expect(await show(path, 'change'))
      .to.include('Name: Desk 1 → desk 1 Type: Desk → Meeting room')
      .and.include('Tags: window → screen, phone')
      .and.include('Description: empty → Round')
      .and.include('Capacity: 1 → 8')
      .and.include('Position: 50 %, 50 % → 10 %, 20.5 %')
      .and.include('Name: Same → same')
    expect(await rows()).to.deep.equal(before)
    expect(await entries('bookables.import')).to.deep.equal([])
  })

  it('applies the reviewed rows in one transaction, and reports that it omitted the refused rows', async () => {
    const desk = await add({ name: 'Desk 1', tags: ['window'], description: 'Kept', capacity: 1 })
    await add({ name: 'Same' })
    const list =
      '\ufeffName;Art;Status;Plätze;x;y\r\nDesk 1;Raum;gesperrt;8;10;20\r\nTisch 2;;;;;\r\nSame;;;;;\r\nBad;Sofa;;;;\r\n'
    const reviewed = await review(list)
    expect(await show(reviewed, 'skip')).to.include('4 Same No changes')
    await browser.open(reviewed)
    const applied = await apply(browser)
    expect(browser.words).to.include(
      'Import applied. 1 row was added. 1 row was changed. 1 row has no changes. 1 row has errors.',
    )
    const [first, second, third, ...rest] = await rows()
    expect(rest).to.deep.equal([])
    expect(first).to.deep.include({
      id: desk,
      name: 'Desk 1',
      type: 2,
      status: 1,
      capacity: 8,
      tags: ['window'],
    })
    expect(first).to.include({ description: 'Kept', position_x: 0.1, position_y: 0.2 })
    expect(second).to.include({ name: 'Same', type: 0 })
    expect(third).to.include({ name: 'Tisch 2', type: 0, status: 0, position_x: null })
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
    const [entry] = (await entries('bookables.import')).slice(-1)
    expect(entry).to.include({ actor_name: 'admin@example.com', resource: 'bookables', resource_id: null })
    expect(entry.after).to.deep.equal({
      location_id,
      filename: 'desks.csv',
      created: 1,
      updated: 1,
      skipped: 1,
      errors: 1,
    })
    expect((await entries('bookables.create')).at(-1)).to.deep.include({ resource_id: third.id })
    expect((await entries('bookables.edit')).at(-1)).to.deep.include({ resource_id: desk })
    const changes = await world.database('changes').orderBy('sequence', 'desc').limit(2)
    expect(changes.map(({ type }) => type)).to.deep.equal(['bookable', 'bookable'])
    await browser.open(start())
    expect(browser.page.text, 'listed once').to.include(applied).and.not.include(reviewed)
    await browser.open('/dashboard/audit-log')
    expect(browser.words).to.include(
      'imported desks, rooms and parking into 3rd floor from desks.csv: 1 added, 1 changed, 1 row refused',
    )
    await show(applied, 'error')
    const { data } = papaparse.parse<string[]>(String((await download(browser, 'csv')).bytes).trim())
    expect(data).to.deep.equal([
      ['Name', 'Art', 'Status', 'Plätze', 'x', 'y', 'What is wrong'],
      [
        'Bad',
        'Sofa',
        '',
        '',
        '',
        '',
        'The type must be desk, parking spot, meeting room or home office (it is “Sofa”).',
      ],
    ])
  })

  it('lists only the imports of the same location', async () => {
    await review('name\nDesk 1')
    await browser.open(start())
    expect(browser.words).to.include('desks.csv').and.include('ready to apply')
    location_id = await createLocation(world.database, { name: '4th floor' })
    await browser.open(start())
    expect(browser.words).to.include('No imports in the last seven days.').and.not.include('desks.csv')
  })

  it('leaves a value unchanged if its cell is empty', async () => {
    await add({
      name: 'P-1',
      type: 1,
      tags: ['a'],
      status: 1,
      requires_vehicle: true,
      position_x: 0.1,
      position_y: 0.2,
    })
    await review('name,type,tags,description,status,capacity,requires_vehicle,x,y\nP-1,,,,,,,,\n')
    expect(browser.words).to.include('Nothing to apply. 1 row has no changes.')
  })

  it('refuses to change assigned or booked bookables, and tells the administrator what to do', async () => {
    const user_id = await createUser(world.database)
    await add({ name: 'Assigned', status: 2 })
    const booked = await add({ name: 'Booked' })
    const home = await add({ name: 'Home', type: 3 })
    const room = await add({ name: 'Room', type: 2 })
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    await createBooking(world.database, { bookable_id: booked, user_id, ...times })
    await createBooking(world.database, { bookable_id: home, user_id, exclusive: false, ...times })
    const event_id = await createEvent(world.database, times)
    await createBooking(world.database, { bookable_id: room, event_id, ...times })
    await add({ name: 'Twin' })
    await add({ name: 'twin' })
    await review(
      'name,status,type\nAssigned,free,\nBooked,blocked,\nHome,,desk\nRoom,blocked,\nTwin,,\nAssigned 2,blocked,\n',
    )
    const way = 'block it on its own page, where you choose what happens to them, or leave the status empty.'
    expect(browser.words)
      .to.include('It is assigned; end the assignment first, or leave the status empty.')
      .and.include(`It has upcoming bookings or meetings (1); ${way}`)
      .and.include('It has upcoming bookings or meetings (1), so it must remain a home office for now.')
      .and.include(`It has upcoming bookings or meetings (1); ${way}`)
      .and.include('Several desks or rooms on this floor have this name; give each a unique name first.')
      .and.include('1 row will be added. 5 rows have errors.')
  })

  it('applies nothing if the data have changed since the review, and shows the new differences', async () => {
    const id = await add({ name: 'Desk 1', capacity: 1 })
    await review('name,capacity\nDesk 1,4\nDesk 2,\n')
    await world.database('bookables').where({ id }).update({ capacity: 2 })
    const path = await apply(browser)
    expect(browser.words).to.include('Nothing was changed. The data has changed since your review')
    expect(await rows()).to.have.length(1)
    expect(await show(path, 'change')).to.include('Capacity: 2 → 4')
    // Fields that the file does not contain may change after the review.
    await world.database('bookables').where({ id }).update({ description: 'New lamp' })
    await apply(browser)
    expect(browser.words).to.include('Import applied.')
    expect(await rows()).to.have.length(2)
    expect((await rows())[0]).to.include({ capacity: 4, description: 'New lamp' })
  })

  it('notices every kind of change of the data since the review', async () => {
    const { database } = world
    const changes: Record<string, (id: number) => Promise<unknown>> = {
      'a name that is taken meanwhile': () => add({ name: 'new' }),
      'a name that is free meanwhile': (id) => database('bookables').where({ id }).update({ name: 'Other' }),
      'one that is deleted': (id) => database('bookables').where({ id }).update({ deleted_at: new Date() }),
      'an assignment': (id) => database('bookables').where({ id }).update({ status: 2 }),
      'a booking': (id) =>
        createBooking(database, { bookable_id: id, from: hoursFromNow(1), to: hoursFromNow(2) }),
    }
    for (const [what, change] of Object.entries(changes)) {
      location_id = await createLocation(database)
      const id = await add({ name: 'Desk' })
      await review('name,status\nDesk,blocked\nNew,\n')
      await change(id)
      const before = await rows()
      await apply(browser)
      expect(browser.words, what).to.include('Nothing was changed.')
      expect(await rows(), what).to.deep.equal(before)
    }
  })

  it('applies once even if its form is sent several times, and creates no duplicate names', async () => {
    const colleague = await createSignedIn(world, 'colleague@example.com')
    const list = `name\n${Array.from({ length: 50 }, (_, index) => `Desk ${index + 1}`).join('\n')}\n`
    const forms: Array<{ of: Window; form: Form }> = []
    for (const each of [browser, colleague]) {
      await awaitImport(each, await sendImportFile(each, importFile(list), {}, start()))
      forms.push({ of: each, form: each.form('Apply: add 50') })
    }
    const sendAnew = async ({ of, form }: { of: Window; form: Form }) => {
      const window = new Window(world.url)
      for (const [name, value] of of.cookies) window.cookies.set(name, value)
      const { status, headers } = await window.send(form, {}, { follow: false })
      return { status, path: headers.get('Location') ?? '' }
    }
    const answers = await Promise.all([...forms, ...forms].map(sendAnew))
    // The second form gets an error while the first is being accepted; when it is sent again, it redirects to
    // the result.
    for (const { status } of answers) expect(status).to.be.oneOf([303, 409])
    const again = await Promise.all(forms.map(sendAnew))
    expect(again.map(({ status }) => status)).to.deep.equal([303, 303])
    const sent = [...answers.filter(({ status }) => status === 303), ...again].map(({ path }) => path)
    expect(new Set(sent)).to.have.property('size', 2)
    for (const path of sent) await awaitImport(browser, path)
    const names = (await rows()).map(({ name }) => name)
    expect(names).to.have.length(50)
    expect(new Set(names).size).to.equal(50)
    const words: string[] = []
    for (const path of new Set(sent)) {
      await browser.open(path)
      words.push(browser.words)
    }
    expect(words.filter((each) => each.includes('Import applied. 50 rows were added.'))).to.have.length(1)
    expect(words.filter((each) => each.includes('The data has changed'))).to.have.length(1)
  })

  it('is shown in German to administrators who read German', async () => {
    await add({ name: 'Desk 1', status: 2, capacity: 2 })
    const list = 'name,art,status,plätze\nDesk 1,,frei,\nSofa,Sofa,,\nTisch 2,Tisch,gesperrt,4\ndesk 1,,,\n'
    const path = await review(list)
    await browser.open('/dashboard/language/de')
    await browser.open(path)
    expect(browser.words)
      .to.include('1 Zeile wird hinzugefügt. 3 Zeilen haben Fehler.')
      .and.include('Zugewiesen; beenden Sie zuerst die Zuweisung, oder lassen Sie den Status leer.')
      .and.include(
        'Die Art muss Tisch, Parkplatz, Besprechungsraum oder Homeoffice sein (angegeben: „Sofa“).',
      )
      .and.include('Der Name steht schon in Zeile 2.')
    expect(await show(path, 'create')).to.include('4 Tisch 2 Art: Tisch Status: gesperrt Plätze: 4')
    await browser.open(start())
    expect(browser.words).to.include('Beginnen Sie mit der Vorlage').and.include('bis zu 1.000 Zeilen')
    await browser.open('/dashboard/language/en')
  })

  it('accepts the rows of its own template, in each language', async () => {
    const { status, headers, bytes } = await fetchTemplate('en')
    expect(status).to.equal(200)
    expect(headers.get('Content-Disposition')).to.equal('attachment; filename="template.csv"')
    expect(String(bytes)).to.equal(createImportTemplate('en'))
    expect(String((await fetchTemplate('de')).bytes)).to.equal(createImportTemplate('de'))
    for (const language of ['en', 'de'] as const) {
      location_id = await createLocation(world.database)
      await review(createImportTemplate(language))
      expect(browser.words, language).to.not.include('ignored').and.not.include('has errors')
      await apply(browser)
      expect((await rows()).map(({ type, status, capacity }) => [type, status, capacity])).to.deep.equal([
        [0, 0, null],
        [1, 0, null],
        [2, 1, 8],
      ])
    }
    expect(
      (await fetch(`${world.url}/dashboard/places/import-template.csv`, { redirect: 'manual' })).status,
    ).to.not.equal(200)
  })

  async function fetchTemplate(language: string) {
    await browser.open(`/dashboard/language/${language}`)
    await browser.open(start())
    const template = await download(browser, language === 'de' ? 'der Vorlage' : 'the template')
    await browser.open('/dashboard/language/en')
    return template
  }

  it('escapes hostile texts in files', async () => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    await add({ name: HOSTILE_TEXTS[0], description: HOSTILE_TEXTS[1] })
    const list = HOSTILE_TEXTS.flatMap((text) => [
      [cell(text), '', cell(text.replace(/[,;]/g, ' ')), cell(text)].join(','),
      [cell(`${text} `), cell(text), '', ''].join(','),
    ])
    const name = `${HOSTILE_TEXTS[1]}.csv`.replaceAll('"', "'")
    const path = await send(['name,type,tags,description', ...list].join('\n'), name)
    await awaitImport(browser, path)
    for (const section of ['create', 'change', 'error', 'skip']) {
      await show(path, section)
      expect(browser.page.text).to.not.match(/<(script>|img|svg onload)|onmouseover='/)
    }
    await show(path, 'create')
    for (const text of HOSTILE_TEXTS.slice(1)) expectHarmless(browser.page.text, text)
    await show(path, 'error')
    await browser.open(start())
    expect(browser.page.text).to.not.match(/<img/)
    await browser.open(path)
    await apply(browser)
    expect(browser.words).to.include('Import applied.')
    await browser.open('/dashboard/audit-log')
    expect(browser.page.text).to.not.match(/<(script>|img|svg onload)/)
  })
})
