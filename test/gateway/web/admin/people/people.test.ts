// Tests the people pages of the dashboard: search, lists, creation, changes, deactivation, restoring,
// releases, and exports.

import { expect } from 'chai'
import exceljs from 'exceljs'
import papaparse from 'papaparse'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { download } from '../../../../support/dashboard/import-wizard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const PEOPLE_PATH = '/dashboard/people'

describe('the people pages of the dashboard', () => {
  const world = useWorld({ workers: ['writes', 'exports'] })
  const browser = useSignedIn(world)
  beforeEach(() => removeUsers(world.database))

  const namesFound = async (query: Record<string, string>) => {
    await browser.open(`${PEOPLE_PATH}?${new URLSearchParams(query)}`)
    return [
      ...browser.page.text.matchAll(/<th scope="row"[^>]*><span class="person">.*?<a [^>]*>([^<]*)</g),
    ].map(([, name]) => name)
  }

  it('show the events of a person, including cancelled events with a badge', async () => {
    const { database } = world
    const organizer_user_id = await createUser(database)
    const span = { organizer_user_id, from: hoursFromNow(20), to: hoursFromNow(21) }
    const planned = await createEvent(database, { ...span, name: 'Planning' })
    const cancelled = await createEvent(database, { ...span, name: 'Called off', status: 2 })
    const visited = await createEvent(database, { from: span.from, to: span.to, name: 'Visit', status: 2 })
    await database('event_attendees').insert({ event_id: visited, user_id: organizer_user_id })
    await createEvent(database, { ...span, from: hoursFromNow(-3), to: hoursFromNow(-2), status: 2 })
    await browser.open(`${PEOPLE_PATH}/${organizer_user_id}`)
    const rows = [...browser.page.text.matchAll(/href="[^"]*\/events\/(\d+)">[^<]*<\/a>(.*?)<td/gs)]
    const shown = rows.map(([, id, badge = '']) => [Number(id), badge.includes('cancelled')])
    expect(shown).to.deep.equal([
      [planned, false],
      [cancelled, true],
      [visited, true],
    ])
  })

  it('show the assignments, bookings and events of a person', async () => {
    const { database } = world
    const ada = await createUser(database, { name: 'Ada Lovelace' })
    const location_id = await createLocation(database)
    const book = async (name: string, from: number, to: number) => {
      const bookable_id = await createBookable(database, { location_id, name })
      await createBooking(database, {
        bookable_id,
        user_id: ada,
        from: hoursFromNow(from),
        to: hoursFromNow(to),
      })
    }
    const assigned = await createBookable(database, { location_id, name: 'Desk A', status: 2 })
    await database('bookable_assignees').insert({ bookable_id: assigned, user_id: ada })
    await book('Desk now', -2, 2)
    await book('Desk before', -50, -47)
    await book('Desk earlier', -74, -71)
    const soon = { from: hoursFromNow(3), to: hoursFromNow(4) }
    await createEvent(database, { ...soon, name: 'Hers', organizer_user_id: ada })
    const invited = await createEvent(database, { ...soon, name: 'Of others' })
    await database('event_attendees').insert({ event_id: invited, user_id: ada, status: 1 })
    await createEvent(database, { ...soon, name: 'Not hers' })
    const past = { from: hoursFromNow(-50), to: hoursFromNow(-47) }
    await createEvent(database, { ...past, name: 'Over then', organizer_user_id: ada })
    await browser.open(`${PEOPLE_PATH}/${ada}`)
    expect(browser.words).to.match(/Assigned desks and rooms Desk A/)
    expect(browser.words).to.match(/Current and upcoming bookings .*Desk now.*Current and upcoming meetings/)
    expect(browser.words).to.match(/Hers .* organizer Of others .* attendee/)
    expect(browser.words).to.match(/Last bookings .*Desk before.*Desk earlier/)
    expect(browser.words).to.not.include('Not hers').and.not.include('Over then')
  })

  it('find people by parts of their name, e-mail, UPN, group and plate', async () => {
    const { database } = world
    const ada = await createUser(database, {
      name: 'Ada Lovelace',
      email: 'countess@example.com',
      upn: 'AL%1@corp',
    })
    await createVehicle(database, { user_id: ada, license_plate: 'HH-AL 1815' })
    const group_id = await createGroup(database, { name: 'Analysts' })
    const bob = await createUser(database, { name: 'Bob', email: 'bob@example.com' })
    await database('group_members').insert({ group_id, user_id: bob })
    await createUser(database, { name: 'Ada Gone', email: 'gone@example.com', deactivated_at: new Date() })
    expect(await namesFound({})).to.deep.equal(['Ada Lovelace', 'Bob'])
    expect(await namesFound({ q: 'ADA' })).to.deep.equal(['Ada Lovelace'])
    expect(await namesFound({ q: 'love countess' })).to.deep.equal(['Ada Lovelace'])
    expect(await namesFound({ q: 'ada bob' })).to.deep.equal([])
    expect(await namesFound({ q: 'al%1' })).to.deep.equal(['Ada Lovelace'])
    expect(await namesFound({ q: '%' }), 'a sign, not a wildcard').to.deep.equal(['Ada Lovelace'])
    expect(await namesFound({ q: '_' })).to.deep.equal([])
    expect(await namesFound({ q: 'hhal' })).to.deep.equal([])
    expect(await namesFound({ q: 'hh-al18' })).to.deep.equal(['Ada Lovelace'])
    expect(await namesFound({ q: 'analy' })).to.deep.equal(['Bob'])
    expect(await namesFound({ group: String(group_id) })).to.deep.equal(['Bob'])
    expect(browser.words).to.include('Members of Analysts')
    expect(await namesFound({ q: 'ada', state: 'deactivated' })).to.deep.equal(['Ada Gone'])
    expect(await namesFound({ q: 'ada', state: 'all' })).to.deep.equal(['Ada Gone', 'Ada Lovelace'])
    expect(await namesFound({ q: 'nobody' })).to.deep.equal([])
    expect(browser.words).to.include('No active people found.')
    expect((await browser.open(`${PEOPLE_PATH}?state=none`)).status).to.equal(422)
  })

  it('list people by name in pages, and show help if the list is empty', async () => {
    await browser.open(PEOPLE_PATH)
    expect(browser.words).to.include('No people yet.')
    await world.database.raw(`INSERT INTO users (name, email)
      SELECT 'Person ' || lpad(i::text, 3, '0'), 'p' || i || '@example.com' FROM generate_series(1, 120) AS i`)
    const found: Array<string | undefined> = []
    for (const page of ['1', '2', '3', '4']) found.push(...(await namesFound({ page, q: 'person' })))
    expect(found).to.have.length(120)
    expect(new Set(found)).to.have.property('size', 120)
    expect(await namesFound({ page: '3' })).to.have.length(20)
  })

  it('add a person, with errors shown at the fields', async () => {
    await browser.open(`${PEOPLE_PATH}/new`)
    const fields = {
      name: 'Ada',
      email: 'ada@',
      groups: 'Sales; Research\nA',
      license_plates: 'x'.repeat(300),
      new_value: 'Alone',
    }
    expect((await browser.submit('Add person', fields)).status).to.equal(422)
    expect(browser.words)
      .to.include('E-mail must be a valid e-mail address.')
      .and.include('Groups must not contain a semicolon.')
      .and.include('License plates must be at most 255 characters long.')
      .and.include('Choose an attribute for this value.')
    expect(await world.database('users')).to.have.length(0)
    const mended = {
      email: 'ada@example.com',
      groups: ' Sales \r\nResearch\r\n\r\nSales',
      license_plates: 'HH 1',
      new_attribute: '7',
    }
    await browser.submit('Add person', mended)
    expect(browser.page.path).to.match(/^\/dashboard\/people\/\d+$/)
    expect(browser.words).to.include('Ada added.').and.include('Attribute 7 Alone')
    const { id } = await world.database('vehicles').first()
    expect(browser.words).to.include(`HH 1 ${id}`)
    await browser.open(`${PEOPLE_PATH}/new`)
    await browser.submit('Add person', { name: 'Other', email: 'ADA@example.com' })
    expect(browser.words).to.include('This e-mail address belongs to another person.')
  })

  it('change a person, and leave other fields exactly the same, including line ends', async () => {
    const id = await createUser(world.database, {
      name: 'Ada',
      email: 'ada@example.com',
      upn: 'ada@corp',
      extension_attributes: { extensionAttribute1: 'line\nbreak', extensionAttribute2: 'two' },
    })
    const kept = await createVehicle(world.database, { user_id: id, license_plate: 'HH 1' })
    await browser.open(`${PEOPLE_PATH}/${id}/edit`)
    await browser.submit('Save changes', {
      name: 'Ada Lovelace',
      upn: '',
      license_plates: 'HH 1\nHH 2',
      extensionAttribute2: '',
    })
    expect(browser.words).to.include('Changes saved.')
    const user = await world.database('users').where({ id }).first()
    expect(user).to.include({ name: 'Ada Lovelace', email: 'ada@example.com', upn: null })
    expect(user.extension_attributes).to.deep.equal({ extensionAttribute1: 'line\nbreak' })
    expect(await world.database('vehicles').where({ id: kept, license_plate: 'HH 1' })).to.have.length(1)
    expect((await browser.open(`${PEOPLE_PATH}/999/edit`)).status).to.equal(404)
    expect((await browser.open(`${PEOPLE_PATH}/x`)).status).to.equal(404)
  })

  it('erase a person after an explanation, and refuse to erase administrators', async () => {
    const { database } = world
    const id = await createUser(database, { name: 'Ada Byron', email: 'Ada.Byron@example.com' })
    await createBooking(database, { user_id: id, from: hoursFromNow(1), to: hoursFromNow(2) })
    await createBooking(database, { user_id: id, from: hoursFromNow(-5), to: hoursFromNow(-4) })
    await database('admins').insert({ email: 'ada.byron@example.com', password_hash: '' })
    await browser.open(`${PEOPLE_PATH}/${id}`)
    await browser.follow('Erase')
    expect(browser.words).to.include('Ada Byron cannot be erased')
    expect(browser.words).to.include('This person is an administrator.')
    await database('admins').where({ email: 'ada.byron@example.com' }).update({ disabled_at: new Date() })
    await browser.open(`${PEOPLE_PATH}/${id}/erase`)
    expect(browser.words).to.match(/Upcoming bookings, cancelled 1 .*Bookings anonymized 1 /)
    expect(await database('users').where({ id }), 'nothing is done yet').to.have.length(1)
    await browser.submit('Erase')
    expect(browser.page).to.include({ status: 200, path: PEOPLE_PATH })
    expect(browser.words).to.include('Person erased; 1 upcoming booking and 0 meetings cancelled.')
    expect(await namesFound({ q: 'byron', state: 'all' })).to.deep.equal([])
    expect(await namesFound({ q: 'anonymous', state: 'all' }), 'who stands for all').to.deep.equal([])
    for (const path of [`${PEOPLE_PATH}/${id}`, `${PEOPLE_PATH}/${id}/erase`])
      expect((await browser.open(path)).status).to.equal(404)
  })

  it('deactivate a person after a notice about their bookings, and restore the person', async () => {
    const id = await createUser(world.database, { name: 'Ada' })
    await createBooking(world.database, { user_id: id, from: hoursFromNow(1), to: hoursFromNow(2) })
    await browser.open(`${PEOPLE_PATH}/${id}`)
    await browser.follow('Deactivate')
    expect(browser.words).to.include('Their booking stays until it is released.')
    await browser.submit('Deactivate')
    expect(browser.words).to.include('Person deactivated.').and.include('deactivated just now')
    await browser.submit('Restore')
    expect(browser.words).to.include('Person restored.')
    expect((await world.database('users').where({ id }).first()).deactivated_at).to.equal(null)
  })

  it('show the assignments that a deactivated person keeps, on every relevant page', async () => {
    const id = await createUser(world.database, { name: 'Keeper' })
    const bookable_id = await createBookable(world.database, { name: 'Desk by the sea', status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id, user_id: id })
    await browser.open(`${PEOPLE_PATH}/${id}`)
    expect(browser.words)
      .to.include('Assigned desks and rooms Desk by the sea')
      .and.not.include('still assigned')
    await browser.follow('Deactivate')
    expect(browser.words).to.include('Desk by the sea stays assigned to them until you end the assignment.')
    await browser.submit('Deactivate')
    expect(browser.words).to.include('1 desk or room is still assigned to this deactivated person')
    await browser.open(PEOPLE_PATH)
    expect(browser.words).to.include('1 deactivated person still has 1 assigned desk or room. Review')
    await browser.open(`${PEOPLE_PATH}/deactivated`)
    expect(browser.words).to.match(/Keeper \S+ just now – 0 Desk by the sea/)
    expect(browser.page.text).to.not.include('Release')
    for (const path of ['', '/assign']) {
      await browser.open(`/dashboard/places/bookables/${bookable_id}${path}`)
      expect(browser.words, path).to.match(/Keeper [^ ]*\s?deactivated/)
    }
    await browser.open(`/dashboard/places/bookables/${bookable_id}`)
    await browser.submit('End assignment')
    await browser.open(`${PEOPLE_PATH}/deactivated`)
    expect(browser.words).to.include('No deactivated people have bookings or assigned desks.')
  })

  it('show the bookings of a person in the time zone of the building', async () => {
    const building_id = await createBuilding(world.database, { name: 'Quay', timezone: 'Asia/Tokyo' })
    const location_id = await createLocation(world.database, { building_id, name: 'Second' })
    const bookable_id = await createBookable(world.database, { location_id, name: 'Window' })
    const id = await createUser(world.database)
    const place = { bookable_id, user_id: id }
    await createBooking(world.database, {
      ...place,
      from: '2090-01-01T00:00:00Z',
      to: '2090-01-01T01:00:00Z',
    })
    await createBooking(world.database, {
      ...place,
      from: '2020-01-01T00:00:00Z',
      to: '2020-01-02T00:00:00Z',
    })
    await browser.open(`${PEOPLE_PATH}/${id}`)
    expect(browser.page.text).to.match(/href="\/dashboard\/bookings\/\d+">Window</)
    expect(browser.words).to.match(/Window Second, Quay 1 Jan 2090, 09:00 \(Asia\/Tokyo\) 10:00/)
    expect(browser.words, 'what is over comes last').to.match(/2090.* Last bookings .* 1 Jan 2020, 09:00/)
  })

  it('release the bookings of deactivated people, one person at a time or all together', async () => {
    const holders: number[] = []
    for (const name of ['Gone One', 'Gone Two', 'Gone Three']) {
      const user_id = await createUser(world.database, { name, deactivated_at: new Date() })
      holders.push(user_id)
      await createBooking(world.database, { user_id, from: hoursFromNow(-2), to: hoursFromNow(2) })
      await createBooking(world.database, { user_id, from: hoursFromNow(3), to: null })
      await createBooking(world.database, { user_id, from: hoursFromNow(-9), to: hoursFromNow(-8) })
    }
    const active = await createUser(world.database, { name: 'Stays' })
    await createBooking(world.database, { user_id: active, from: hoursFromNow(1), to: hoursFromNow(2) })
    await browser.open(PEOPLE_PATH)
    expect(browser.words).to.include('3 deactivated people still have 6 bookings.')
    await browser.open(`${PEOPLE_PATH}/${holders[0]}`)
    await browser.follow('Release bookings')
    expect(browser.words).to.include('Release 2 bookings of Gone One?')
    await browser.submit('Release')
    expect(browser.words).to.include('Bookings released: 1 deleted, 1 ended now.')
    await browser.open(`${PEOPLE_PATH}/deactivated`)
    expect(browser.words).to.include('Gone Two').and.not.include('Gone One')
    await browser.follow('Release all bookings')
    expect(browser.words).to.include('Release 4 bookings of deactivated people?')
    await browser.submit('Release all')
    expect(browser.words)
      .to.include('Bookings released: 2 deleted, 2 ended now.')
      .and.include('No deactivated people have bookings or assigned desks.')
    expect(await world.database('bookings').where({ user_id: active })).to.have.length(1)
    await browser.open(`${PEOPLE_PATH}/${active}/release`)
    expect((await browser.submit('Release')).status).to.equal(404)
    expect(browser.words).to.include(`There is no deactivated person with the id ${active}.`)
  })

  it('count the members of groups without deactivated people', async () => {
    const group_id = await createGroup(world.database, { name: 'Sales' })
    await createGroup(world.database, { name: 'Empty' })
    for (const deactivated_at of [null, null, new Date()]) {
      const user_id = await createUser(world.database, { deactivated_at })
      await world.database('group_members').insert({ group_id, user_id })
    }
    await browser.open(`${PEOPLE_PATH}/groups`)
    expect(browser.words).to.include('Empty 0 Sales 2')
    await browser.open(`${PEOPLE_PATH}/groups?q=sal`)
    expect(browser.words).to.not.include('Empty')
    await browser.follow('Sales')
    expect(browser.page.path).to.equal(`${PEOPLE_PATH}/groups/${group_id}`)
  })

  it('export people exactly like the API', async () => {
    await createUser(world.database, { name: '=1+1', email: 'ada@example.com' })
    await createUser(world.database, { name: 'Gone', deactivated_at: new Date() })
    await browser.open(PEOPLE_PATH)
    const today = () => new Date().toISOString().slice(0, 10)
    const [began, csv, ended] = [today(), await download(browser, 'csv'), today()]
    const client = await world.client('user-write')
    expect(String(csv.bytes)).to.equal((await client.get('users/export?format=csv')).text)
    expect(papaparse.parse(String(csv.bytes), { header: true }).data[0]).to.include({ name: "'=1+1" })
    expect(csv.headers.get('Content-Disposition')).to.be.oneOf(
      [began, ended].map((day) => `attachment; filename="users-${day}.csv"`),
    )
    expect(csv.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8')
    const book = new exceljs.Workbook()
    await book.xlsx.load((await download(browser, 'xlsx')).bytes as unknown as ArrayBuffer)
    expect(book.worksheets[0]?.getCell('C2').value).to.equal('=1+1')
    // The gateway deletes the file after sending it.
    await eventually(async () => expect(await world.database('files'), 'nothing is left').to.have.length(0))
  })

  it('escape hostile texts', async () => {
    const { database } = world
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const id = await createUser(database, {
        name: text,
        upn: text,
        email: `h${index}@example.com`,
        deactivated_at: new Date(),
        extension_attributes: { extensionAttribute1: text },
      })
      await createVehicle(database, { user_id: id, license_plate: text })
      const group_id = await createGroup(database, { name: text })
      await database('group_members').insert({ group_id, user_id: id })
      const bookable_id = await createBookable(database, { name: text })
      await createBooking(database, { bookable_id, user_id: id, from: hoursFromNow(1), to: hoursFromNow(2) })
      for (const path of ['', '/edit', '/deactivate', '/release'])
        expectHarmless((await browser.open(`${PEOPLE_PATH}/${id}${path}`)).text, text)
      expectHarmless((await browser.open(`${PEOPLE_PATH}?group=${group_id}&state=all`)).text, text)
    }
    for (const path of ['?state=all', '/groups', '/deactivated']) {
      const { text } = await browser.open(PEOPLE_PATH + path)
      for (const hostile of HOSTILE_TEXTS) expectHarmless(text, hostile)
    }
    for (const hostile of HOSTILE_TEXTS)
      expectHarmless((await browser.open(`${PEOPLE_PATH}?q=${encodeURIComponent(hostile)}`)).text, hostile)
  })
})
