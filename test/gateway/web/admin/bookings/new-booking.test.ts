// Tests how an administrator books for a person: first the time, then a free bookable, with alternatives and the
// person's other bookings.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// It is Friday, 10:30 in Berlin.
const NOW = Date.parse('2026-11-20T09:30:00Z')
const MONDAY = { from: '2026-11-23T08:00:00Z', to: '2026-11-23T16:00:00Z' }

describe('a new booking that an administrator makes for a person', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building: number
  let location_id: number
  let anna: number
  before(async () => {
    building = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id: building, name: 'Deck' })
    await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  const makeDesk = (name: string, row = {}) => createBookable(world.database, { location_id, name, ...row })
  const open = (query: Record<string, string | number>) =>
    browser.open(`/dashboard/bookings/new?${new URLSearchParams(query as Record<string, string>)}`)
  const fieldsOf = (button: string) =>
    Object.fromEntries(browser.form(button).controls.map(({ name, value }) => [name, value]))
  const listed = () => [...browser.page.text.matchAll(/aria-label="Book ([^"]+)"/g)].map(([, name]) => name)

  it('defaults to the next working day, from 9 to 17 in the time zone of the place', async () => {
    await open({})
    expect(fieldsOf('Show free')).to.include({ from: '2026-11-23T09:00', to: '2026-11-23T17:00' })
    expect(browser.words).to.include('Time zone: Europe/Berlin')
    await open({ from: '2026-11-24T10:00' })
    expect(fieldsOf('Show free')).to.include({ from: '2026-11-24T10:00', to: '2026-11-24T17:00' })
    await open({ from: '2026-11-24T18:30' })
    expect(fieldsOf('Show free')).to.include({ to: '2026-11-24T19:30' })
    expect((await open({ from: '2026-11-24T10:00', to: '2026-11-24T10:00' })).status).to.equal(422)
    expect(browser.words).to.include('Until must be after From.')
  })

  it('lists what is free at the chosen time, by floor, type and tags, and books it', async () => {
    const taken = await makeDesk('Bow 1')
    const free = await makeDesk('Bow 2', { tags: ['window', 'quiet'] })
    await makeDesk('Spot 1', { type: 1 })
    await createBooking(world.database, { bookable_id: taken, ...MONDAY })
    const other = await createLocation(world.database, { building_id: building, name: 'Attic' })
    await makeDesk('Attic 1', { location_id: other })

    await open({ user: anna })
    expect(listed()).to.deep.equal(['Bow 2', 'Spot 1', 'Attic 1'])
    await open({ user: anna, from: '2026-11-24T09:00' })
    expect(listed(), 'on another day').to.deep.equal(['Bow 1', 'Bow 2', 'Spot 1', 'Attic 1'])
    await open({ building })
    await browser.submit('Show free', { location: String(other) })
    expect(listed()).to.deep.equal(['Attic 1'])
    await browser.submit('Show free', { location: '', type: '1' })
    expect(listed()).to.deep.equal(['Spot 1'])
    await browser.submit('Show free', { type: '', tags: 'quiet, window' })
    expect(listed()).to.deep.equal(['Bow 2'])

    await open({ user: anna, tags: 'window' })
    await browser.follow('Book')
    expect(fieldsOf('Create booking')).to.include({
      from_time: '2026-11-23T09:00',
      to_time: '2026-11-23T17:00',
    })
    await browser.submit('Create booking')
    expect(browser.words).to.include('Bow 2 is booked for Anna Bauer.')
    const { during } = await world.database('bookings').where({ bookable_id: free }).first()
    expect(during).to.equal('["2026-11-23 08:00:00+00","2026-11-23 16:00:00+00")')
  })

  it('keeps the same instant when a place in another time zone is chosen', async () => {
    const house = await createBuilding(world.database, { name: 'Shibuya', timezone: 'Asia/Tokyo' })
    const floor = await createLocation(world.database, { building_id: house, name: 'Ground' })
    await makeDesk('Kome 1', { location_id: floor, tags: ['tatami'] })
    await open({ user: anna, tags: 'tatami', from: '2026-11-25T09:00', to: '2026-11-25T10:00' })
    await browser.follow('Book')
    expect(fieldsOf('Create booking')).to.include({
      from_time: '2026-11-25T17:00',
      to_time: '2026-11-25T18:00',
    })
  })

  it('shows whether a bookable found by name is taken', async () => {
    const taken = await makeDesk('Keel 1')
    await makeDesk('Keel 2')
    await createBooking(world.database, { bookable_id: taken, ...MONDAY })
    await open({ place: 'keel' })
    expect(browser.words).to.match(/Keel 1 taken Desk .* Keel 2 Desk/)
  })

  it('links from a taken bookable to bookables that are free at the entered time', async () => {
    const desk = await makeDesk('Mast 1')
    const near = await makeDesk('Mast 2')
    await createBooking(world.database, { bookable_id: desk, ...MONDAY })
    await open({ user: anna, bookable: desk })
    const refused = await browser.submit('Create booking', { to_time: '2026-11-23T12:00' })
    expect(refused.status).to.equal(409)
    expect(browser.words).to.include('Mast 1 is taken by')
    await browser.follow('Mast 2')
    expect(new URL(browser.page.path, world.url).searchParams.get('bookable')).to.equal(String(near))
    expect(fieldsOf('Create booking')).to.include({ to_time: '2026-11-23T12:00' })
    await browser.submit('Create booking')
    expect(browser.words).to.include('Mast 2 is booked for Anna Bauer.')
  })

  it('shows only the reason of its refusal if nothing else is free', async () => {
    const house = await createBuilding(world.database, { name: 'Tiny', timezone: 'Europe/Berlin' })
    const floor = await createLocation(world.database, { building_id: house, name: 'Floor' })
    const only = await makeDesk('Lone', { location_id: floor })
    await createBooking(world.database, { bookable_id: only, ...MONDAY })
    await open({ user: anna, bookable: only })
    expect((await browser.submit('Create booking')).status).to.equal(409)
    expect(browser.words).to.include('Lone is taken by').and.not.include('free at that time')
    expect(browser.page.text).to.not.include('notice warn"></div>')
  })

  it('asks only for the fields that are not yet chosen', async () => {
    const desk = await makeDesk('Buoy 1')
    await open({ bookable: desk })
    expect(browser.words).to.include('First choose a person.')
    await open({ user: anna })
    expect(browser.words).to.include('First choose what to book.')
    await open({})
    expect(browser.words).to.include('First choose a person and what to book.')
  })

  it('offers other floors of the building if the chosen floor is full', async () => {
    const house = await createBuilding(world.database, { name: 'Small', timezone: 'Europe/Berlin' })
    const [one, two] = [
      await createLocation(world.database, { building_id: house, name: 'One' }),
      await createLocation(world.database, { building_id: house, name: 'Two' }),
    ]
    const only = await makeDesk('Only', { location_id: one })
    await makeDesk('Upstairs', { location_id: two })
    await createBooking(world.database, { bookable_id: only, ...MONDAY })
    await open({ user: anna, bookable: only })
    await browser.submit('Create booking')
    expect(browser.words).to.include('Free at that time: Upstairs Two')
  })

  it('warns if the person has another desk at the same time', async () => {
    const [one, two] = [await makeDesk('Rudder 1'), await makeDesk('Rudder 2')]
    const bob = await createUser(world.database, { name: 'Bob' })
    const tuesday = { from: '2026-11-24T08:00:00Z', to: '2026-11-24T16:00:00Z' }
    await createBooking(world.database, { bookable_id: one, user_id: bob, ...tuesday })
    await open({ user: bob, bookable: two, from: '2026-11-24T12:00' })
    expect(browser.words).to.include('Bob has already booked at that time: Rudder 1 , Deck, 09:00 to 17:00')
    await open({ user: bob, bookable: two, from: '2026-11-25T12:00' })
    expect(browser.words).to.not.include('already booked')
    await browser.submit('Create booking', { from_time: '2026-11-24T12:00', to_time: '2026-11-24T13:00' })
    expect(browser.words).to.include('Rudder 2 is booked for Bob. Bob also has Rudder 1 at that time.')
  })

  const daysOf = async (bookable_id: number) => {
    const rows = await world.database('bookings').where({ bookable_id }).orderBy('during')
    return rows.map(({ during }) => during.slice(2, 18))
  }

  it('can repeat until a chosen day, at the same local time', async () => {
    const desk = await makeDesk('Anchor 1')
    const query = { user: anna, bookable: desk, from: '2027-03-25T09:00', to: '2027-03-25T12:00' }
    await open(query)
    expect((await browser.submit('Create booking', { repeat: 'workday' })).status).to.equal(422)
    expect(browser.words).to.include('Enter the last day.')
    await browser.submit('Create booking', { repeat: 'workday', repeat_until: '2027-03-30' })
    expect(browser.words).to.include('4 bookings of Anchor 1 created for Anna Bauer.')
    expect(await daysOf(desk), 'summer begins on Sunday').to.deep.equal([
      '2027-03-25 08:00',
      '2027-03-26 08:00',
      '2027-03-29 07:00',
      '2027-03-30 07:00',
    ])
  })

  it('can be made for a list of days, either for all or none or only for the free days', async () => {
    const desk = await makeDesk('Anchor 2')
    const query = { user: anna, bookable: desk, from: '2026-12-01T09:00', to: '2026-12-01T17:00' }
    await createBooking(world.database, {
      bookable_id: desk,
      from: '2026-12-03T10:00:00Z',
      to: '2026-12-03T11:00:00Z',
    })
    await open(query)
    const days = { more_days: '2026-12-02, 2026-12-03' }
    expect((await browser.submit('Create booking', { more_days: 'Tuesday' })).status).to.equal(422)
    expect(browser.words).to.include('“Tuesday” is not a date')
    expect((await browser.submit('Create booking', days)).status).to.equal(409)
    expect(await daysOf(desk)).to.have.length(1)
    await browser.submit('Create booking', { ...days, skips: 'true' })
    expect(browser.words).to.include('2 bookings of Anchor 2 created for Anna Bauer. Skipped: ')
    const booked = ['2026-12-01 08:00', '2026-12-02 08:00', '2026-12-03 10:00']
    expect(await daysOf(desk)).to.deep.equal(booked)
    await open(query)
    const allTaken = await browser.submit('Create booking', { ...days, skips: 'true' })
    expect(allTaken.status).to.equal(409)
    expect(browser.words).to.include('Anchor 2 is taken by Anna Bauer')
    await world.database('bookables').where({ id: desk }).update({ status: 1 })
    expect((await browser.submit('Create booking', { ...days, skips: 'true' })).status).to.equal(409)
    expect(browser.words).to.include('Anchor 2 is blocked.')
    expect(await daysOf(desk)).to.deep.equal(booked)
  })

  it('links back to the search from which it was opened', async () => {
    const desk = await makeDesk('Oar 1')
    const search = '/dashboard/bookings?person=bauer&from=2026-11-26'
    await browser.open(search)
    await browser.follow('New booking')
    await browser.follow('Cancel')
    expect(browser.page.path).to.equal(search)
    await browser.follow('New booking')
    const back = search.slice('/dashboard'.length)
    await open({ back, user: anna, bookable: desk, from: '2026-11-26T09:00' })
    await browser.submit('Create booking')
    expect(browser.page.path).to.equal(search)
    expect(browser.words).to.include('Oar 1 is booked for Anna Bauer.')
    await browser.follow('Open')
    await browser.follow('Cancel booking')
    await browser.submit('Cancel booking')
    expect(browser.page.path).to.equal(search)
    for (const back of ['//evil.example', 'https://evil.example/', '/\\evil.example']) {
      await open({ back })
      await browser.follow('Cancel')
      expect(browser.page.path, back).to.match(/^\/dashboard/)
    }
  })
})
