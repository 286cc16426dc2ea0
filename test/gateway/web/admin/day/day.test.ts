// Tests the timeline of a day: its content, its actions, and what dragging saves.

import { expect } from 'chai'
import { splitIntoSegments } from '../../../../../gateway/web/pages/time/intervals.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
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

// It is Friday, 10:30 in Berlin.
const NOW = Date.parse('2026-11-20T09:30:00Z')
const MONDAY = '2026-11-23'
const on = (time: string) => `${MONDAY}T${time}:00Z`

describe('the timeline of a building’s day', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building: number
  let location_id: number
  let anna: number
  before(async () => {
    building = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id: building, name: 'Deck' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  const make = (name: string, row = {}) => createBookable(world.database, { location_id, name, ...row })
  const newFloor = () => createLocation(world.database, { building_id: building })
  const open = (query: Record<string, string | number>) =>
    browser.open(`/dashboard/day?${new URLSearchParams(query as Record<string, string>)}`)
  const rows = () =>
    [...browser.page.text.matchAll(/<tr data-bookable="\d+" data-name="([^"]+)"/g)].map(([, name]) => name)
  const labels = () =>
    [...browser.page.text.matchAll(/<td[^>]*>\s*<a [^>]*aria-label="([^"]+)"/g)].map(([, label]) => label)

  it('shows rooms first, and bookings with people and times in the time zone of the building', async () => {
    const floor = await newFloor()
    const desk = await make('Desk 1', { location_id: floor })
    const room = await make('Room 1', { location_id: floor, type: 2, capacity: 8 })
    await make('Home', { location_id: floor, type: 3 })
    await createBooking(world.database, {
      bookable_id: desk,
      user_id: anna,
      from: on('08:00'),
      to: on('10:20'),
    })
    const event_id = await createEvent(world.database, { name: 'Launch', from: on('12:00'), to: on('13:00') })
    await createBooking(world.database, { bookable_id: room, event_id, from: on('12:00'), to: on('13:00') })
    await open({ location: floor, date: MONDAY })
    expect(rows()).to.deep.equal(['Room 1', 'Desk 1'])
    expect(browser.words).to.include('Monday').and.include('23 November 2026').and.include('8 people')
    expect(labels()).to.deep.equal([
      'Book Room 1, 09:00 to 10:00',
      'Room 1, 13:00 to 14:00: Launch',
      'Book Room 1, 14:00 to 15:00',
      'Book Desk 1, 07:00 to 09:00',
      'Desk 1, 09:00 to 11:20: Anna Bauer',
      'Book Desk 1, 11:30 to 17:00',
    ])
    await open({ building, date: '2026-11-24' })
    expect(browser.words).to.not.include('Anna Bauer')
  })

  it('shows the building with the most desks if the address names none, without a redirect', async () => {
    const rival = await createLocation(world.database, {
      building_id: await createBuilding(world.database, { name: 'Wharf' }),
    })
    await make('Bay 1', { location_id: rival })
    for (let number = 0; number < 40; number++) await make(`Bench ${number}`)
    await browser.open('/dashboard/day')
    expect(browser.page.path).to.equal('/dashboard/day')
    expect(browser.words).to.include('Harbour').and.include('Bench 1')
    expect(browser.page.text, 'its links').to.include(`href="/dashboard/day?building=${building}&amp;date=`)
    await browser.open(`/dashboard/day?date=${MONDAY}`)
    expect(browser.page.text, 'the day stays').to.include(`?date=${MONDAY}&amp;building=${building}`)
  })

  it('links from free time to a new booking at that time, and back to the timeline', async () => {
    const floor = await newFloor()
    await make('Desk 2', { location_id: floor })
    await open({ location: floor, date: MONDAY })
    const day = browser.page.path
    await browser.press('Book Desk 2, 09:00 to 17:00')
    const { searchParams } = new URL(browser.page.path, world.url)
    expect(searchParams.get('from')).to.equal(`${MONDAY}T09:00`)
    await browser.open(`${browser.page.path}&user=${anna}`, { headers: { Referer: world.url + day } })
    await browser.submit('Create booking')
    expect(browser.page.path).to.equal(day)
    expect(browser.words).to.include('Desk 2 is booked for Anna Bauer.')
    expect(labels()).to.include('Desk 2, 09:00 to 17:00: Anna Bauer')
  })

  it('offers no bookings in the past or on blocked bookables', async () => {
    const floor = await newFloor()
    await make('Desk 3', { location_id: floor })
    await make('Desk 4', { location_id: floor, status: 1 })
    await open({ location: floor })
    expect(labels()).to.have.length(1)
    expect(labels()[0], 'the clock goes on').to.match(/^Book Desk 3, 1[01]:\d\d to 17:00$/)
    expect(browser.words).to.include('Blocked')
    await open({ location: floor, date: '2026-11-19' })
    expect(labels()).to.deep.equal([])
  })

  it('marks the current time only today, and explains only the colours in use', async () => {
    const floor = await newFloor()
    const desk = await make('Desk 1', { location_id: floor })
    await make('Room 1', { location_id: floor, type: 2 })
    await open({ location: floor })
    // 10:30 is 210 minutes after 7:00.
    expect(browser.page.text).to.include('viewBox="0 0 720 1"').and.include('<path d="M210 0V1" />')
    expect(browser.page.text, 'nothing is booked').to.include('aria-label="Colours"></ul>')
    const span = { from: on('08:00'), to: on('10:00') }
    await createBooking(world.database, { bookable_id: desk, user_id: anna, ...span })
    await open({ location: floor, date: MONDAY })
    expect(browser.page.text).to.not.include('now-line')
    expect(browser.page.text).to.match(/aria-label="Colours"><li class="desk">Desk<\/li><\/ul>/)
  })

  it('saves dragged bookings, and shows conflicts', async () => {
    const floor = await newFloor()
    const [one, two] = [
      await make('Desk 5', { location_id: floor }),
      await make('Desk 6', { location_id: floor }),
    ]
    const from = '2026-11-23T08:00:12.123456Z'
    const id = await createBooking(world.database, { bookable_id: one, user_id: anna, from, to: on('12:00') })
    const bob = await createUser(world.database, { name: 'Bob', email: 'bob@example.com' })
    await createBooking(world.database, {
      bookable_id: two,
      user_id: bob,
      from: on('13:00'),
      to: on('14:00'),
    })
    const drag = async (bookable: number, start: string, end: string) => {
      await open({ location: floor, date: MONDAY })
      const fields = {
        booking: String(id),
        bookable: String(bookable),
        from_time: `${MONDAY}T${start}`,
        to_time: `${MONDAY}T${end}`,
      }
      return browser.submit('Move', fields)
    }
    const row = () => world.database('bookings').where({ id }).first()
    await drag(two, '09:00', '13:30')
    expect(browser.words).to.include('Changes saved.')
    expect(await row()).to.include({ bookable_id: two })
    expect((await row()).during, 'the start was not touched')
      .to.include('08:00:12.123456')
      .and.include('12:30:00')
    expect((await drag(two, '10:00', '15:00')).status).to.equal(409)
    expect(browser.words).to.include('Desk 6 is taken by Bob (bob@example.com)')
    expect((await drag(two, '10:00', '09:00')).status).to.equal(422)
    expect((await row()).during).to.include('12:30:00')
  })

  it('shows the page and the parts that reload in the language of each administrator', async () => {
    const floor = await newFloor()
    const room = await make('Kabine', { location_id: floor, type: 2, capacity: 8 })
    const from = '2026-11-22T10:00:00Z'
    await createBooking(world.database, { bookable_id: room, user_id: anna, from, to: on('12:00') })
    const german = { headers: { 'Accept-Language': 'de' } }
    for (const part of ['', '&_part=rows']) {
      const address = `/dashboard/day?location=${floor}&date=${MONDAY}${part}`
      await browser.open(address, german)
      expect(labels()).to.deep.equal([
        'Kabine, 00:00 bis 13:00 und an anderen Tagen: Anna Bauer',
        'Kabine buchen, 13:00 bis 14:00',
      ])
      expect(browser.words).to.include('Besprechungsraum, 8 Personen').and.include('23. November 2026')
      await browser.open(address)
      expect(labels()).to.deep.equal([
        'Kabine, 00:00 to 13:00, and on other days: Anna Bauer',
        'Book Kabine, 13:00 to 14:00',
      ])
    }
  })

  it('shows at most thirty desks per page', async () => {
    const floor = await newFloor()
    await world.database.raw(
      `INSERT INTO bookables (location_id, name, type) SELECT ?, 'Desk ' || number, 0 FROM generate_series(1, 1000) AS number`,
      [floor],
    )
    await open({ location: floor, date: MONDAY })
    expect(rows()).to.have.length(30)
    expect(browser.words).to.include('1–30 of 1,000')
    await browser.follow('Next')
    expect(rows()[0]).to.equal('Desk 31')
    expect(browser.words).to.include('31–60 of 1,000')
    expect(Buffer.byteLength(browser.page.text)).to.be.below(40_000)
  })

  it('escapes hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      const house = await createBuilding(world.database, { name: text })
      const floor = await createLocation(world.database, { building_id: house, name: text })
      const desk = await createBookable(world.database, { location_id: floor, name: text })
      const user_id = await createUser(world.database, { name: text })
      await createBooking(world.database, {
        bookable_id: desk,
        user_id,
        guest_name: text,
        from: on('08:00'),
        to: on('09:00'),
      })
      expectHarmless((await open({ location: floor, date: MONDAY })).text, text)
    }
    expect((await open({ location: 999_999 })).status).to.equal(404)
  })
})

describe('the segments of a row of the timeline', () => {
  const claim = (from: number, to: number) => ({
    id: from,
    bookableId: 1,
    eventId: null,
    event: null,
    who: '',
    guest: null,
    from,
    to,
    spansOtherDays: false,
  })
  const shown = (...claims: Array<[number, number]>) =>
    splitIntoSegments(
      claims.map(([from, to]) => claim(from, to)),
      { from: 420, to: 540 },
    ).map(({ from, to, claim }) => [from, to, claim?.id])

  it('cover all hours without gaps or overlaps, for any bookings', () => {
    expect(shown()).to.deep.equal([[420, 540, undefined]])
    expect(shown([0, 1440])).to.deep.equal([[420, 540, 0]])
    expect(shown([421, 424], [424, 430], [500, 501])).to.deep.equal([
      [420, 435, 421],
      [435, 450, 424],
      [450, 495, undefined],
      [495, 510, 500],
      [510, 540, undefined],
    ])
    expect(shown([530, 535], [535, 540])).to.deep.equal([
      [420, 525, undefined],
      [525, 540, 530],
    ])
  })
})
