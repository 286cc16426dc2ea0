// Tests the report “Who came”: who had booked, who checked in and when, and who did not.
import { expect } from 'chai'
import papaparse from 'papaparse'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const MINUTE_MS = 60_000
const fromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString()
const [HOSTILE = ''] = HOSTILE_TEXTS

describe('the report of who came', () => {
  const world = useWorld({ workers: ['writes', 'exports'] })
  const browser = useSignedIn(world)
  let [building_id, deck, hold, crew] = [0, 0, 0, 0]

  before(async () => {
    const { database } = world
    building_id = await createBuilding(database, { name: 'Harbour' })
    deck = await createLocation(database, { building_id, name: 'Deck' })
    hold = await createLocation(database, { building_id, name: 'Hold' })
    crew = await createGroup(database, { name: 'Crew' })
    const book = async (name: string, location_id: number, row: { from: string; to: string }) => {
      const user_id = await createUser(database, { name })
      if (name === 'Ada Came') await database('group_members').insert({ group_id: crew, user_id })
      const bookable_id = await createBookable(database, { location_id })
      await createBooking(database, { bookable_id, user_id, ...row })
    }
    const until = {
      from: fromNow(-5),
      check_in_from: fromNow(-20),
      check_in_until: fromNow(10),
      to: fromNow(60),
    }
    await book('Ada Came', deck, { ...until, checked_in_at: fromNow(-4) } as typeof until)
    await book('Ben Missed', deck, {
      ...until,
      check_in_until: fromNow(-1),
      released_at: fromNow(-1),
      to: fromNow(-1),
    } as typeof until)
    await book('Cora Open', deck, until)
    await book(HOSTILE, hold, { from: fromNow(-5), to: fromNow(60) })
  })

  // Days that contain the times above, whatever the time of day is.
  const span = () => `from=${fromNow(-1_440).slice(0, 10)}&to=${fromNow(1_440).slice(0, 10)}`
  const open = (query = '') =>
    browser.open(`/dashboard/reports/came?${span()}&building=${building_id}${query}`)
  const names = () => ['Ada Came', 'Ben Missed', 'Cora Open'].filter((each) => browser.words.includes(each))

  it('shows who checked in and when, who did not, and who had booked where check-in is not used', async () => {
    const { text } = await open()
    expect(browser.words).to.match(/Ada Came \S+ checked in \d\d:\d\d/)
    expect(browser.words).to.match(/Ben Missed \S+ did not come, released/)
    expect(browser.words).to.match(/Cora Open \S+ not yet/)
    expect(browser.words).to.include('4 booked 1 checked in 1 did not check in 1 not yet 1 without check-in')
    expectHarmless(text, HOSTILE)
  })

  it('says if it counts only the first 10,000 bookings', async () => {
    const { database } = world
    const location_id = await createLocation(database, { name: 'Arena' })
    const { building_id: arena } = await database('locations').where({ id: location_id }).first()
    const row = { bookable_id: await createBookable(database, { location_id }), from: fromNow(-5) }
    const book = (number: number) =>
      database.raw(
        `INSERT INTO bookings (bookable_id, user_id, during, exclusive, checked_in_at)
         SELECT :bookable_id, :user_id, tstzrange(:from, :to), false, :from FROM generate_series(1, CAST(:number AS int))`,
        { ...row, to: fromNow(60), user_id, number },
      )
    const user_id = await createUser(database)
    const openArena = () => browser.open(`/dashboard/reports/came?${span()}&building=${arena}`)
    await book(10_000)
    await database.raw('ANALYZE bookings')
    await openArena()
    expect(browser.words).to.include('10,000 booked 10,000 checked in').and.not.include('only the first')
    await book(1)
    await openArena()
    expect(browser.words)
      .to.include('10,000 booked 10,000 checked in')
      .and.include('These figures count only the first 10,000 bookings.')
  })

  it('finds by state, floor, group and person', async () => {
    for (const [query, found] of [
      ['&came=came', ['Ada Came']],
      ['&came=missed', ['Ben Missed']],
      ['&came=open', ['Cora Open']],
      ['&came=unused', []],
      [`&group=${crew}`, ['Ada Came']],
      [`&location=${deck}`, ['Ada Came', 'Ben Missed', 'Cora Open']],
      [`&location=${hold}`, []],
      ['&person=ben', ['Ben Missed']],
    ] as const) {
      await open(query)
      expect(names(), query).to.deep.equal(found)
    }
  })

  it('says where check-in is not used', async () => {
    await open(`&location=${hold}`)
    expect(browser.words).to.include('Check-in is not used there, so this list shows who had booked.')
    await open(`&location=${deck}`)
    expect(browser.words).to.not.include('Check-in is not used there')
  })

  it('exports what it shows, also for a floor without its building', async () => {
    const query = `${span()}&location=${deck}&came=missed`
    await browser.open(`/dashboard/reports/came?${query}`)
    expect(names()).to.deep.equal(['Ben Missed'])
    const { text } = await browser.open(`/dashboard/reports/came?${query}&_download=csv`)
    const { data } = papaparse.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
    expect(data.map(({ person, status }) => [person, status])).to.deep.equal([['Ben Missed', 'no-show']])
  })

  it('is linked from reports and from the page of a day, but not for readers', async () => {
    await browser.open('/dashboard/reports')
    await browser.follow('Who came')
    expect(browser.page.path).to.include('/reports/came')
    await browser.open(`/dashboard/day?location=${deck}`)
    await browser.follow('Who came')
    expect(names()).to.include('Cora Open')
    const reader = await createSignedIn(world, 'reader@came.example', 'reader')
    await reader.open(`/dashboard/day?location=${deck}`)
    expect(reader.words).to.not.include('Who came')
    expect((await reader.open('/dashboard/reports/came')).status).to.equal(403)
  })
})
