// Tests Today over HTTP: figures that follow each building's local day, and the texts in an empty installation.

import { expect } from 'chai'
import { Browser, createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { createWorld, useWorld } from '../../../../support/world.ts'

// It is 22:30 in Berlin, 16:30 in New York, and already the next day in Tokyo.
const NOW = '2026-11-20T21:30:00.000Z'

describe('the Today page of the dashboard', () => {
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  let berlin: number
  let tokyo: number
  before(async () => {
    berlin = await createBuilding(world.database, { name: 'Quay', timezone: 'Europe/Berlin' })
    tokyo = await createBuilding(world.database, { name: 'Shibuya', timezone: 'Asia/Tokyo' })
    await fill()
  })
  // Runs last, because the page caches its figures for a moment.
  const browser = useSignedIn(world)

  async function fill() {
    const { database } = world
    const floor = await createLocation(database, { name: 'Deck', building_id: berlin })
    const tower = await createLocation(database, { name: 'Tower', building_id: tokyo })
    const make = (row: object, location_id = floor) => createBookable(database, { location_id, ...row })
    const [taken, past, open, room, desk, spot, home] = await Promise.all([
      make({ type: 0 }),
      make({ type: 0 }),
      make({ type: 0 }),
      make({ type: 2 }),
      make({ type: 0 }, tower),
      make({ type: 1 }, tower),
      make({ type: 3 }),
    ])
    await make({ type: 0, status: 1 })
    await make({ type: 0, deleted_at: new Date() })
    const book = (bookable_id: number, from: string, to: string | null, row: object = {}) =>
      createBooking(database, { bookable_id, from, to, ...row })
    // A current booking, an ended one, one of yesterday without an end, and a room of an event.
    await book(taken, '2026-11-20T07:00:00Z', '2026-11-20T22:00:00Z')
    await book(past, '2026-11-20T07:00:00Z', '2026-11-20T12:00:00Z')
    await book(open, '2026-11-19T08:00:00Z', null)
    const event_id = await createEvent(database, { from: '2026-11-20T21:00:00Z', to: '2026-11-20T22:00:00Z' })
    await book(room, '2026-11-20T21:00:00Z', '2026-11-20T22:00:00Z', { event_id })
    // The current day in Tokyo began at 15:00 UTC.
    await book(desk, '2026-11-20T14:59:59Z', '2026-11-20T15:30:00Z')
    await book(desk, '2026-11-21T00:00:00Z', '2026-11-21T08:00:00Z')
    await book(spot, '2026-11-20T15:00:00Z', '2026-11-20T21:30:00Z')
    await book(home, '2026-11-20T07:00:00Z', '2026-11-20T22:00:00Z', { exclusive: false })
    await book(taken, '2026-12-04T08:00:00Z', '2026-12-04T09:00:00Z')
    await book(taken, '2026-12-05T08:00:00Z', '2026-12-05T09:00:00Z')
    await book(taken, '2026-11-07T08:00:00Z', '2026-11-07T09:00:00Z')
    await book(taken, '2026-11-06T08:00:00Z', '2026-11-06T09:00:00Z')
  }

  it('has the date as its title, and shows first who is in the office, by each building’s date', async () => {
    await browser.open('/dashboard')
    const { words } = browser
    expect(browser.page.text).to.match(/<h1>Friday,? 20 November<\/h1>/)
    expect(words).to.include('6 people in today 2 now · 1 at home')
    expect(words.indexOf('people in today')).to.be.lessThan(words.indexOf('desks free now'))
    expect(words)
      .to.include('Quay 3 people in · 1 desk free')
      .and.include('Shibuya 3 people in · 1 desk free')
    expect(words).to.match(/Deck 3 in /)
    expect(words).to.match(/At home User/)
  })

  it('counts a person once per floor, names guests, and links to the people it omits', async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Full house', timezone: 'Europe/Berlin' })
    const floor = await createLocation(database, { name: 'Loft', building_id })
    const times = { from: '2026-11-20T20:00:00Z', to: '2026-11-20T22:00:00Z' }
    const checkIn = { check_in_from: '2026-11-20T19:30:00Z', check_in_until: '2026-11-20T21:45:00Z' }
    const persons = Array.from({ length: 12 }, (_, number) => `Person ${String(number).padStart(2, '0')}`)
    for (const name of ['Ada Lovelace', 'Ida Noddack', ...persons]) {
      const user_id = await createUser(database, { name })
      const book = async (row: object = {}) => {
        const bookable_id = await createBookable(database, { location_id: floor, type: 0 })
        return createBooking(database, { user_id, bookable_id, ...times, ...row })
      }
      if (name === 'Ida Noddack') await book(checkIn)
      else if (name === 'Ada Lovelace') {
        await book({ ...checkIn, checked_in_at: '2026-11-20T20:01:00Z' })
        await book({ from: '2026-11-20T07:00:00Z', to: '2026-11-20T08:00:00Z' })
        await book({ guest_name: 'Grace' })
      } else await book()
    }
    const { url } = await world.startGateway()
    const reader = sameSession(url)
    await reader.open('/dashboard')
    await database('bookings')
      .whereIn('bookable_id', database('bookables').select('id').where({ location_id: floor }))
      .delete()
    await database('bookables').where({ location_id: floor }).delete()
    await database('locations').where({ id: floor }).delete()
    await database('buildings').where({ id: building_id }).delete()
    expect(reader.words).to.include('Full house 15 people in')
    expect(reader.words).to.match(/Loft 15 in (Ada Grace Ida|Ada Ida Grace)/)
    const { text } = reader.page
    expect(text).to.include('aria-label="Ada Lovelace, checked in">Ada</a>')
    expect(text).to.include('class="late" title="Ida Noddack, not checked in yet"')
    expect(text).to.include('title="Grace, guest of Ada Lovelace"')
    expect(reader.words, 'two of one first name').to.include('Person 00 Person 01')
    expect(reader.words).to.include('1 not checked in')
    await reader.follow('and 3 more')
    expect(reader.page.path).to.match(/^\/dashboard\/bookings\?building=\d+&place=Loft$/)
  })

  it('mentions the queues at the end, or at the top if a queue has a problem', async () => {
    await browser.open('/dashboard')
    const { words } = browser
    expect(words).to.include('No worker is running')
    expect(words.indexOf('No worker is running')).to.be.lessThan(words.indexOf('people in today'))
    expect(words).to.not.include('All systems normal')
    const well = await createWorld({ workers: ['writes', 'imports', 'exports', 'upkeep'] })
    const reader = await createSignedIn(well)
    await createBuilding(well.database, { name: 'Quay' })
    await eventually(async () => {
      await reader.open('/dashboard')
      expect(reader.words).to.match(/All systems normal\. Queues/)
    })
    expect(reader.words.indexOf('All systems normal')).to.be.greaterThan(
      reader.words.indexOf('people in today'),
    )
    await well.close()
  })

  it('counts free bookables without blocked and deleted ones and home offices', async () => {
    await browser.open('/dashboard')
    expect(browser.words).to.include('2 desks free now of 4')
    expect(browser.words).to.include('0 rooms free now of 1')
    expect(browser.words).to.include('1 parking spot free now of 1')
    expect(browser.words).to.match(/Deck 3 in .*? 1 of 3 desks and 0 of 1 rooms free/)
    expect(browser.words).to.match(/Tower 3 in .*? 1 of 1 desks and 1 of 1 parking spots free/)
  })

  it('shows meetings that are not over, and the local time of buildings in other time zones', async () => {
    await browser.open('/dashboard')
    expect(browser.words).to.include('1 meeting today 1 now').and.include('1 desk free · 1 meeting')
    expect(browser.words).to.match(/Meetings 22:00–23:00 \S+ \d+ now .*1 person|Meetings 22:00–23:00/)
    expect(browser.words).to.include('06:30 (').and.not.include('22:30 (')
    expect(browser.words).to.not.match(/\b0 (meetings|people|not checked in|at home)/)
  })

  it('is available in German, with the same figures', async () => {
    await browser.open('/dashboard')
    await browser.open('/dashboard', { headers: { 'Accept-Language': 'de' } })
    expect(browser.page.text).to.include('<h1>Freitag, 20. November</h1>')
    expect(browser.words).to.include('2 Tische jetzt frei von 4').and.include('06:30 (')
    expect(browser.words).to.include('3 Personen da · 1 Tisch frei').and.include('In diesen vier Wochen')
    expect(browser.words).to.not.match(/bookings start|free now/)
  })

  it('draws the bookings of four weeks as a chart, and also shows them as a table', async () => {
    await browser.open('/dashboard?_part=weeks')
    // The four weeks are 7 November to 4 December. All other bookings are outside.
    expect(browser.words).to.include('9 bookings start in these four weeks.')
    expect(browser.words).to.include('Sat 7 Nov 1 Sun 8 Nov 0')
    expect(browser.words).to.include('Thu 19 Nov 1 Fri 20 Nov 4 Sat 21 Nov 2 Sun 22 Nov 0')
    expect(browser.words).to.match(/Fri 4 Dec 1 *$|Fri 4 Dec 1 (?!Sat)/)
    // A day or hour without bookings is a gap in the chart.
    expect(browser.page.text.match(/<path d="M[^"]+"( class="now")?><title>/g)).to.have.length(5 + 24)
  })

  it('draws the use of desks today by hour', async () => {
    await browser.open('/dashboard?_part=weeks')
    // Berlin has bookings from 8:00 to 23:00, from 8:00 to 13:00 and all day. Tokyo has bookings from 0:00 to 0:30 and
    // from 9:00 to 17:00.
    expect(browser.words).to.include('00:00 2 (50 %) 01:00 1 (25 %)')
    expect(browser.words).to.include('07:00 1 (25 %) 08:00 3 (75 %) 09:00 4 (100 %)')
    expect(browser.words).to.include('12:00 4 (100 %) 13:00 3 (75 %)')
    expect(browser.words).to.include('16:00 3 (75 %) 17:00 2 (50 %)')
    expect(browser.words).to.include('22:00 2 (50 %) 23:00 1 (25 %)')
    expect(browser.words).to.include('Busiest at 09:00: 4 of 4 desks.')
  })

  it('escapes hostile names', async () => {
    for (const text of HOSTILE_TEXTS) {
      const building_id = await createBuilding(world.database, { name: text })
      await createLocation(world.database, { name: text, building_id })
    }
    const { url } = await world.startGateway()
    const { text } = await sameSession(url).open('/dashboard')
    for (const hostile of HOSTILE_TEXTS) expectHarmless(text, hostile)
  })

  it('links from each location to its map, in the same order as the page Places', async () => {
    const building_id = await createBuilding(world.database, { name: 'Annex', timezone: 'America/New_York' })
    const floors = ['Ground floor', '1st floor']
    for (const name of floors) await createLocation(world.database, { name, building_id })
    const { url } = await world.startGateway()
    const { text } = await sameSession(url).open('/dashboard')
    const links = [...text.matchAll(/<a href="([^"]+\/map[^"]+)">([^<]+)<\/a>/g)]
    expect(links.map(([, , name]) => name).filter((name) => floors.includes(name ?? ''))).to.deep.equal(
      floors,
    )
    expect(links[0]?.[1]).to.match(/^\/dashboard\/map\?location=\d+$/)
    expect(text).to.match(/\d\d:30 \(/)
  })

  it('stays small with forty buildings, expands only the fullest one, and links to the others', async () => {
    const { database } = world
    const from = '2026-11-20T20:00:00Z'
    const to = '2026-11-20T22:00:00Z'
    for (let number = 0; number < 40; number++) {
      const building_id = await createBuilding(database, { name: `Zeppelin ${number}` })
      for (let floor = 0; floor < 3; floor++) {
        const location_id = await createLocation(database, { building_id })
        for (let desk = 0; desk < (number === 20 ? 9 : 1); desk++)
          await createBooking(database, {
            bookable_id: await createBookable(database, { location_id }),
            from,
            to,
          })
      }
    }
    const { url } = await world.startGateway()
    const reader = sameSession(url)
    const { text } = await reader.open('/dashboard')
    expect(text.length).to.be.lessThan(30_000)
    expect(text.match(/<details class="card building"[^>]* open>/g)).to.have.length(1)
    expect(reader.words).to.match(/Zeppelin 20 27 people in .* 9 in User/)
    await reader.follow('Zeppelin 3 3 people in · no desk free')
    expect(reader.page.path).to.match(/\/places\/buildings\/\d+$/)
  })

  it('tells the administrator what to do first in an empty installation', async () => {
    const empty = await createWorld({ workers: [] })
    const reader = await createSignedIn(empty)
    const { status } = await reader.open('/dashboard')
    expect(status).to.equal(200)
    expect(reader.words).to.include('No buildings yet.')
    expect(reader.page.text, 'no empty charts').to.not.include('<figure')
    await empty.close()
  })

  /** Opens the same session at another gateway, which has no cached figures. */
  function sameSession(url: string): Browser {
    const reader = new Browser(url)
    for (const [name, value] of browser.cookies) reader.cookies.set(name, value)
    return reader
  }
})
