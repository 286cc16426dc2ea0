// Tests lists of the dashboard: their counts, order and one-line rows, and the links back to a list.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-${time}Z`

describe('lists of the dashboard', () => {
  const world = useWorld({ now: createClock(NOW) })
  const browser = useSignedIn(world)
  let location_id: number
  before(async () => {
    const building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'UTC' })
    location_id = await createLocation(world.database, { building_id, name: 'Deck' })
  })
  beforeEach(async () => {
    await world.database('bookings').delete()
    await world.database('events').delete()
    await world.database('bookables').delete()
    await removeUsers(world.database)
  })

  const heads = () =>
    [...browser.page.text.matchAll(/<th scope="row"[^>]*>(?:<[^>]*>)*([^<]+)/g)].map(([, name]) => name)
  const columns = () =>
    [...browser.page.text.matchAll(/<th scope="col"[^>]*>(?:<[^>]*>)*([^<]+)/g)].map(([, name]) => name)
  const sorted = () =>
    [...browser.page.text.matchAll(/<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><a[^>]*>([^<]+)/g)].map(
      ([, direction, name]) => [name, direction],
    )
  /** Follows a link in the breadcrumbs or day links, because the navigation contains links with the same text. */
  const followIn = (box: 'breadcrumbs' | 'day-links', text: string) => {
    const [, inside = ''] =
      new RegExp(`<nav class="[^"]*${box}"[^>]*>(.*?)</nav>`, 's').exec(browser.page.text) ?? []
    const [, address] = new RegExp(`<a href="([^"]*)"[^>]*>${text}</a>`).exec(inside) ?? []
    return browser.open((address ?? expect.fail(`No ${text}`)).replaceAll('&amp;', '&'))
  }
  const addPeople = (number: number) =>
    world.database.raw(
      `INSERT INTO users (name, email)
       SELECT 'Same name', 'p' || lpad(i::text, 3, '0') || '@example.com' FROM generate_series(1, ?) AS i`,
      [number],
    )

  it('say how many rows exist, and which rows are shown', async () => {
    await addPeople(120)
    await browser.open('/dashboard/people')
    expect(browser.words).to.include('1–50 of 120')
    await browser.follow('Next')
    await browser.follow('Next')
    expect(browser.words).to.include('101–120 of 120')
    await browser.submit('Search', { q: 'p007' })
    expect(browser.words).to.include('1 of 1').and.not.include('Previous')
    await browser.submit('Search', { q: 'nobody' })
    expect(browser.words).to.not.match(/\d of \d/)
  })

  it('are sorted by a column header across all pages, and keep the search', async () => {
    await addPeople(60)
    const emails = () =>
      [...browser.page.text.matchAll(/p(\d{3})@example\.com</g)].map(([, id]) => Number(id))
    await browser.open('/dashboard/people?q=same')
    expect(sorted()).to.deep.equal([['Name', 'ascending']])
    await browser.follow('E-mail')
    expect(sorted()).to.deep.equal([['E-mail', 'ascending']])
    await browser.follow('E-mail')
    expect(sorted()).to.deep.equal([['E-mail', 'descending']])
    const found = emails()
    await browser.follow('Next')
    expect(sorted()).to.deep.equal([['E-mail', 'descending']])
    found.push(...emails())
    expect(found).to.deep.equal(Array.from({ length: 60 }, (_, index) => 60 - index))
    await browser.submit('Search', { q: 'same p00' })
    expect(emails()).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(browser.page.path).to.include('sort=-email').and.not.include('page=')
  })

  it('show each row exactly once, even if all rows have the same sort value', async () => {
    await addPeople(120)
    for (const sort of ['name', '-name']) {
      const found = new Set<string>()
      for (const page of [1, 2, 3]) {
        await browser.open(`/dashboard/people?sort=${sort}&page=${page}`)
        for (const [, id = ''] of browser.page.text.matchAll(/\/people\/(\d+)\?/g)) found.add(id)
      }
      expect(found, sort).to.have.property('size', 120)
    }
  })

  it('omit columns without values', async () => {
    const id = await createUser(world.database, { name: 'Ada <Lovelace> of the "Analytical" Engine' })
    await browser.open('/dashboard/people')
    expect(columns()).to.deep.equal(['Name', 'E-mail'])
    await world.database('vehicles').insert({ user_id: id, license_plate: 'HH 1' })
    await browser.open('/dashboard/people')
    expect(columns()).to.deep.equal(['Name', 'E-mail', 'Plates'])
  })

  it('refuse an unknown sort order', async () => {
    expect((await browser.open('/dashboard/people?sort=password_hash')).status).to.equal(422)
  })

  it('sort bookings by the displayed values, with numbers by value, and filter them by type', async () => {
    const { database } = world
    const day = { from: at('20T10:00:00'), to: at('20T11:00:00') }
    for (const [name, type, person] of [
      ['Desk 10', 0, 'Ada'],
      ['Desk 9', 0, 'Carl'],
      ['Room 1', 2, 'Ben'],
    ] as const) {
      const bookable_id = await createBookable(database, { location_id, name, type })
      await createBooking(database, {
        ...day,
        bookable_id,
        user_id: await createUser(database, { name: person }),
      })
    }
    const order = async (query: string) => {
      await browser.open(`/dashboard/bookings?${query}`)
      return heads()
    }
    expect(await order('sort=person')).to.deep.equal(['Ada', 'Ben', 'Carl'])
    expect(await order('sort=-person')).to.deep.equal(['Carl', 'Ben', 'Ada'])
    expect(await order('sort=bookable')).to.deep.equal(['Carl', 'Ada', 'Ben'])
    expect(await order('sort=until')).to.deep.equal(['Ada', 'Carl', 'Ben'])
    expect(await order('sort=-from')).to.deep.equal(['Ben', 'Carl', 'Ada'])
    expect(await order('type=2')).to.deep.equal(['Ben'])
    expect(browser.words).to.include('1 of 1')
    expect(columns()).to.not.include('Guest and license plate')
  })

  it('are counted and sorted up to a limit, which the page shows', async () => {
    const bookable_id = await createBookable(world.database, { location_id, type: 3 })
    const user_id = await createUser(world.database)
    await world.database.raw(
      `INSERT INTO bookings (bookable_id, user_id, exclusive, during)
       SELECT ?, ?, false, tstzrange(start, start + interval '1 minute')
       FROM generate_series(timestamptz '2026-11-20T00:00:00Z', '2026-11-20T16:40:05Z', '6 seconds') AS start`,
      [bookable_id, user_id],
    )
    await browser.open('/dashboard/bookings?page=2')
    expect(browser.words).to.include('51–100 of more than 10,000')
    await browser.open('/dashboard/bookings?sort=-from')
    expect(browser.words).to.include('16:40').and.not.include('sorted by start')
    await browser.open('/dashboard/bookings?sort=person')
    expect(browser.words).to.include('More than 10,000 results, sorted by start.')
    expect(sorted()).to.deep.equal([['From', 'ascending']])
    await world.database('bookings').where('id', world.database('bookings').max('id')).delete()
    await browser.open('/dashboard/bookings?sort=person')
    expect(browser.words).to.include('1–50 of 10,000').and.not.include('sorted by start')
    await browser.open('/dashboard/bookings?page=200')
    expect(browser.words)
      .to.include('9,951–10,000 of 10,000')
      .and.not.match(/Next(?! week)/)
  })

  it('offer shortcuts for common date ranges, in the time zone of the building', async () => {
    // It is 22:30 on the previous day in the building.
    const building = await createBuilding(world.database, { timezone: 'Pacific/Niue' })
    for (const path of ['bookings', 'events']) {
      await browser.open(`/dashboard/${path}?building=${building}&place=deck`)
      await followIn('day-links', 'This week')
      expect(browser.words).to.include('16 November 2026 to 22 November 2026')
      expect(browser.page.path).to.include('place=deck')
      await followIn('day-links', 'Tomorrow')
      expect(browser.words).to.include('20 November 2026 (Pacific/Niue)')
      await followIn('day-links', 'Today')
      expect(browser.words).to.include('19 November 2026 (Pacific/Niue)')
      expect(browser.page.text).to.match(/aria-current="true">Today</)
    }
  })

  it('are linked from the pages and forms that they open', async () => {
    const id = await createUser(world.database, { name: 'Ada Lovelace', email: 'ada@example.com' })
    const people = '/dashboard/people?q=lovelace&sort=-email'
    await browser.open(people)
    await browser.follow('Ada Lovelace')
    await browser.follow('Edit')
    await browser.submit('Save changes', { name: 'Ada King' })
    expect(browser.page.path).to.match(new RegExp(`^/dashboard/people/${id}\\?back=`))
    await browser.follow('Deactivate')
    await browser.follow('Keep them active')
    await followIn('breadcrumbs', 'People')
    expect(browser.page.path).to.equal(people)

    const event = { name: 'Launch', organizer_user_id: id, from: at('21T10:00:00'), to: at('21T11:00:00') }
    await createEvent(world.database, event)
    const events = '/dashboard/events?name=launch'
    await browser.open(events)
    await browser.follow('Launch')
    await browser.follow('Cancel meeting')
    await browser.submit('Cancel meeting')
    await followIn('breadcrumbs', 'Meetings')
    expect(browser.page.path).to.equal(events)
    await browser.follow('New meeting')
    await followIn('breadcrumbs', 'Meetings')
    expect(browser.page.path).to.equal(events)

    await createBookable(world.database, { location_id, name: 'Desk 7', type: 0 })
    const desks = `/dashboard/places/locations/${location_id}?type=0`
    await browser.open(desks)
    await browser.follow('Desk 7')
    await browser.submit('Save changes', { description: 'By the door' })
    await browser.follow('Assign to people')
    await browser.follow('Desk 7')
    await browser.follow('Rules')
    await browser.submit('Save rules', { minutes_max: '60' })
    await followIn('breadcrumbs', 'Deck')
    expect(browser.page.path).to.equal(desks)

    const places = '/dashboard/places?search=harbour'
    await browser.open(places)
    await browser.follow('Harbour')
    await browser.follow('Details')
    await browser.submit('Save changes', { address: '1 Quay' })
    await followIn('breadcrumbs', 'Places')
    expect(browser.page.path).to.equal(places)
    await browser.follow('Deck')
    await followIn('breadcrumbs', 'Places')
    expect(browser.page.path).to.equal(places)

    const span = { from: at('21T10:00:00'), to: at('21T11:00:00') }
    const bookable_id = await createBookable(world.database, { location_id, name: 'Desk 8', type: 0 })
    await createBooking(world.database, { bookable_id, user_id: id, ...span })
    const bookings = '/dashboard/bookings?person=king&from=2026-11-20&to=2026-11-22'
    await browser.open(bookings)
    await browser.follow('Open')
    await browser.follow('Cancel booking')
    await followIn('breadcrumbs', 'Desk 8 for Ada King')
    await followIn('breadcrumbs', 'Bookings')
    expect(browser.page.path).to.equal(bookings)

    const log = '/dashboard/audit-log?what=bookables.edit'
    await browser.open(log)
    await browser.follow('Show')
    await followIn('breadcrumbs', 'Audit log')
    expect(browser.page.path).to.equal(log)
  })

  it('never let a back link lead outside the dashboard', async () => {
    const id = await createUser(world.database)
    const outside = encodeURIComponent('/../../elsewhere?q=ada')
    await browser.open(`/dashboard/people/${id}?back=${outside}`)
    const [, crumbs = ''] = /<nav class="breadcrumbs"(.*?)<\/nav>/s.exec(browser.page.text) ?? []
    expect(crumbs).to.include('href="/dashboard"').and.not.include('elsewhere')
  })
})
