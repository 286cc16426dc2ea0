// Tests files of bookings: the results of a search, the bookings of a group, and the bookings of a person.
import { expect } from 'chai'
import exceljs from 'exceljs'
import papaparse from 'papaparse'
import { type Browser, createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// It is 18:30 in Tokyo.
const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-${time}:00Z`

describe('exported files of bookings', () => {
  const world = useWorld({ workers: ['writes', 'exports'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let desk: number
  let room: number
  let ada: number
  let grace: number
  let crew: number

  before(async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Asia/Tokyo' })
    const location_id = await createLocation(database, { building_id, name: 'Deck' })
    desk = await createBookable(database, { location_id, name: '=Bow 1' })
    room = await createBookable(database, { location_id, name: 'Bridge', type: 2 })
    ada = await createUser(database, { name: "Ada O'Hara \\", email: 'ada@example.com' })
    grace = await createUser(database, { name: 'Grace Hopper', email: 'grace@example.com' })
    for (const name of ['Crew', 'Officers']) {
      const [{ id }] = await database('groups').insert({ name }, 'id')
      await database('group_members').insert({ group_id: id, user_id: ada })
      crew ??= id
    }
    const book = (user_id: number, from: string, to: string | null, row = {}) =>
      createBooking(database, { bookable_id: desk, user_id, from: at(from), to: to && at(to), ...row })
    await book(ada, '20T00:00', '20T01:00', { released_at: at('20T00:15') })
    await book(ada, '20T09:00', '20T10:00', { checked_in_at: at('20T09:05'), guest_name: 'Babbage' })
    await book(grace, '20T11:00', '20T12:00', { bookable_id: room })
    await book(ada, '23T00:00', null)
    await createEvent(database, { name: 'Hidden', from: at('20T16:00'), to: at('20T17:00') })
  })

  type Row = Record<string, string>
  const download = async (address: string, by: Browser = browser): Promise<Row[]> => {
    const { status, text, headers } = await by.open(address)
    expect(status).to.equal(200)
    expect(headers.get('Content-Type')).to.equal('text/csv; charset=utf-8')
    return papaparse.parse<Row>(text, { header: true, skipEmptyLines: true }).data
  }
  const csv = (query = '') => download(`/dashboard/bookings?${query}&_download=csv`)
  const namesOf = (rows: Row[]) => rows.map(({ person, from }) => `${person?.split(' ')[0]} ${from}`)

  it('contain the bookings that the list shows, in the time zone of the building', async () => {
    const rows = await csv('from=2026-11-20&to=2026-11-20')
    expect(rows[1]).to.include({
      person: "Ada O'Hara \\",
      email: 'ada@example.com',
      groups: 'Crew;Officers',
      building: 'Harbour',
      location: 'Deck',
      bookable: "'=Bow 1",
      type: 'desk',
      from: '2026-11-20 18:00',
      to: '2026-11-20 19:00',
      timezone: 'Asia/Tokyo',
      status: 'running',
      checked_in_at: '2026-11-20 18:05',
      guest: 'Babbage',
      created_by: '',
    })
    expect(rows.map(({ status }) => status)).to.deep.equal(['no-show', 'running', 'upcoming'])
  })

  it('contain the same bookings as the list for each kind of filter', async () => {
    const found: Record<string, string[]> = {
      'person=grace': ['Grace 2026-11-20 20:00'],
      [`person=${encodeURIComponent("o'hara \\")}`]: ['Ada 2026-11-20 09:00', 'Ada 2026-11-20 18:00'],
      'type=2': ['Grace 2026-11-20 20:00'],
      'place=bridge': ['Grace 2026-11-20 20:00'],
      [`group=${crew}`]: ['Ada 2026-11-20 09:00', 'Ada 2026-11-20 18:00'],
      [`group=${crew}&person=grace`]: [],
      'from=2026-11-23&to=2026-11-23': ['Ada 2026-11-23 09:00'],
      // The booking has no end, and began on the 23rd.
      'from=2026-12-24': ['Ada 2026-11-23 09:00'],
      'building=999999': [],
    }
    for (const [query, names] of Object.entries(found)) {
      expect(namesOf(await csv(query)), query).to.deep.equal(names)
      await browser.open(`/dashboard/bookings?${query}`)
      const shown = (browser.page.text.match(/<a href="\/dashboard\/people\/\d+/g) ?? []).length
      expect(shown, query).to.equal(names.length)
    }
  })

  it('name who created each booking, and are linked below the list of bookings', async () => {
    const address = `/dashboard/bookings/new?user=${grace}&bookable=${room}&from=2026-11-25T09:00&to=2026-11-25T10:00`
    await browser.open(address)
    await browser.submit('Create booking')
    await browser.open('/dashboard/bookings?from=2026-11-25')
    const link = /href="([^"]*_download=csv)"/.exec(browser.page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const [row] = (await download(link)).filter(({ person }) => person === 'Grace Hopper')
    expect(row?.['created_by']).to.equal('admin@example.com')
  })

  it('are linked from a group for its bookings of the month', async () => {
    await browser.open(`/dashboard/people?group=${crew}`)
    await browser.follow('Bookings of the group')
    expect(browser.words)
      .to.include('1 November 2026 to 30 November 2026')
      .and.include('Only members of Crew.')
    expect(browser.words).to.include('1–3 of 3')
    await browser.submit('Search', { person: 'ada' })
    expect(browser.words, 'the search keeps the group').to.include('Only members of Crew.')
  })

  it('contain all bookings of a person, including past ones', async () => {
    const rows = await download(`/dashboard/people/${ada}?_download=csv`)
    expect(namesOf(rows)).to.deep.equal([
      'Ada 2026-11-20 09:00',
      'Ada 2026-11-20 18:00',
      'Ada 2026-11-23 09:00',
    ])
    expect(rows.at(-1)).to.include({ to: '', status: 'upcoming' })
  })

  it('can be downloaded as a spreadsheet', async () => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const address = `${world.url}/dashboard/bookings?from=2026-11-20&_download=xlsx`
    const answer = await fetch(address, { headers: { Cookie: cookie } })
    const workbook = new exceljs.Workbook()
    await workbook.xlsx.load((await answer.arrayBuffer()) as ArrayBuffer)
    const cells = workbook.getWorksheet('Bookings')?.getRow(3).values as unknown[]
    expect(cells.slice(2, 10)).to.deep.equal([
      "Ada O'Hara \\",
      'ada@example.com',
      'Crew;Officers',
      'Harbour',
      'Deck',
      '=Bow 1',
      'desk',
      '2026-11-20 18:00',
    ])
    expect(cells[1]).to.be.a('number')
  })

  it('are offered only to administrators who may change bookings', async () => {
    const as = (role: 'front-desk' | 'reader') => createSignedIn(world, `${role}@bookings.example`, role)
    const [desk, reader] = [await as('front-desk'), await as('reader')]
    expect(await download('/dashboard/bookings?_download=csv', desk)).to.have.length(3)
    expect((await reader.open('/dashboard/bookings?_download=csv')).status).to.equal(403)
    expect((await desk.open(`/dashboard/people/${ada}?_download=csv`)).status).to.equal(403)
    await reader.open('/dashboard/bookings')
    expect(reader.words).to.not.include('Export')
  })
})
