// Tests bookings in the dashboard: how to find them by person, place and time, and how to create, change, end
// and cancel them, with conflicts.

import { expect } from 'chai'
import { parseForms, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-${time}Z`

describe('bookings in the dashboard', () => {
  const world = useWorld({ now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building: number
  let location_id: number
  let ada: number
  before(async () => {
    // The building is in Tokyo, where the local day differs from the day in UTC.
    const { database } = world
    building = await createBuilding(database, { name: 'Harbour', timezone: 'Asia/Tokyo' })
    location_id = await createLocation(database, { building_id: building, name: 'Deck' })
    // Puts most buildings in a time zone that equals UTC all year.
    for (let pier = 1; pier < 10; pier++)
      await createBuilding(database, { name: `Pier ${pier}`, timezone: 'Atlantic/Reykjavik' })
    ada = await createUser(database, { name: 'Ada Lovelace', email: 'ada@example.com' })
  })

  const makeDesk = (name: string, row = {}) => createBookable(world.database, { location_id, name, ...row })
  const search = (query: Record<string, string | number>) =>
    browser.open(`/dashboard/bookings?${new URLSearchParams(query as Record<string, string>)}`)
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const lastBooking = async () => world.database('bookings').orderBy('id', 'desc').first()

  it('are listed by person, place and day, in the time zone of the building', async () => {
    const { database } = world
    const [one, two] = [await makeDesk('Bow 1'), await makeDesk('Bow 2')]
    const grace = await createUser(database, { name: 'Grace Hopper', email: 'grace@example.com' })
    const from = at('20T16:00:00')
    await createBooking(database, {
      bookable_id: one,
      user_id: ada,
      from,
      to: at('20T17:00:00'),
      guest_name: 'Babbage',
    })
    await createBooking(database, { bookable_id: two, user_id: grace, from: at('18T00:00:00'), to: null })
    await createEvent(database, { name: 'Hidden', from, to: at('20T17:00:00') })

    await search({ from: '2026-11-21', to: '2026-11-21' })
    expect(browser.words).to.include('Ada Lovelace').and.include('Babbage').and.include('Grace Hopper')
    expect(browser.words).to.include('21 Nov 2026, 01:00').and.include('open-ended').and.not.include('Hidden')
    await search({ person: 'hopper GRACE@' })
    expect(browser.words).to.include('Bow 2').and.not.include('Bow 1')
    await search({ place: 'harb bow 1', from: '2026-11-21' })
    expect(browser.words).to.include('Ada Lovelace').and.not.include('Grace')
    // The 20th ends at 15:00 UTC in Tokyo.
    await search({ building, person: 'ada' })
    expect(browser.words).to.include('No bookings match.').and.include('(Asia/Tokyo)')
    await search({ building, person: 'ada', from: '2026-11-21' })
    expect(browser.words).to.include('Bow 1')
    // Without a building filter, each booking's day also follows its own building's time zone.
    await search({ person: 'ada' })
    expect(browser.words).to.include('No bookings match.')
    await search({ person: '%' })
    expect(browser.words, 'no pattern').to.include('No bookings match.')
  })

  it('are listed in pages of limited length', async () => {
    const shared = await makeDesk('Home', { type: 3 })
    for (let hour = 0; hour < 52; hour++) {
      const from = new Date(Date.parse(at('01T00:00:00')) + hour * 60_000).toISOString()
      const row = { bookable_id: shared, user_id: ada, from, to: at('01T02:00:00'), exclusive: false }
      await createBooking(world.database, { ...row, guest_name: `Guest ${hour}.` })
    }
    const guests = () => [...browser.words.matchAll(/Guest (\d+)\./g)].map(([, hour]) => Number(hour))
    for (const place of ['', 'home']) {
      await search({ from: '2026-11-01', ...(place ? { place } : {}) })
      expect(guests()).to.deep.equal([...Array(50).keys()])
      await browser.follow('Next')
      expect(guests()).to.deep.equal([50, 51])
      await browser.follow('Previous')
      expect(guests()).to.have.length(50)
    }
  })

  it('are shown for the first day of a range that ends before it begins', async () => {
    expect((await search({ from: '2026-11-20', to: '2026-11-19' })).status).to.equal(200)
    expect(browser.words).to.include(
      '20 November 2026 (the day of each building). The last day is before the first, so only the first is shown.',
    )
    expect(browser.page.text).to.match(/value="2026-11-20" name="to"|name="to"[^>]*value="2026-11-20"/)
  })

  it('show an error for each invalid field of a search', async () => {
    expect((await search({ from: 'soon', person: 'lovelace', building })).status).to.equal(422)
    expect(browser.words)
      .to.include('First day must be a date')
      .and.include('Correct the marked fields. Until then, this list ignores those filters.')
    const { controls } = browser.form('Search')
    const typed = Object.fromEntries(controls.map(({ name, value }) => [name, value]))
    expect(typed).to.include({
      from: 'soon',
      person: 'lovelace',
      building: String(building),
      to: '2026-11-20',
    })
    await browser.submit('Search', { from: '2026-11-21' })
    expect(browser.page.status).to.equal(200)
    await search({ page: 'x' })
    expect([browser.page.status, browser.words.includes('page must be')], 'no field').to.deep.equal([
      422,
      true,
    ])
    expect((await search({ from: '2026-02-30' })).status).to.equal(422)
  })

  it('show a message if a page number is beyond the last page', async () => {
    await search({ page: 99, person: 'lovelace' })
    expect(browser.words).to.include('There is nothing on page 99.').and.not.include('No bookings match.')
    await browser.follow('Go to the first page')
    expect(browser.page.path).to.equal('/dashboard/bookings?person=lovelace')
  })

  it('are made for bookables found by name, with exact matches listed first', async () => {
    const attic = await createLocation(world.database, { building_id: building, name: 'Attic' })
    for (const name of ['Oar 17', 'Oar 27', 'Oar 70']) await makeDesk(name, { location_id: attic })
    for (const name of ['Oar 71', 'Oar 7']) await makeDesk(name)
    const found = async (place: string) => {
      await browser.open(`/dashboard/bookings/new?${new URLSearchParams({ place })}`)
      return browser.words.match(/Oar \d+/g)
    }
    expect(await found('oar 7')).to.deep.equal(['Oar 7', 'Oar 17', 'Oar 27', 'Oar 70', 'Oar 71'])
    expect(await found('harbour  Oar 7 deck')).to.deep.equal(['Oar 7', 'Oar 71'])
  })

  async function choose(person: string, place: string) {
    await browser.open('/dashboard/bookings/new')
    const [who] = parseForms(browser.page.text).filter(({ controls }) =>
      controls.some(({ name }) => name === 'person'),
    )
    await browser.send(who ?? expect.fail(), { person })
    await browser.follow('Choose')
    const [where] = parseForms(browser.page.text).filter(({ controls }) =>
      controls.some(({ name }) => name === 'place'),
    )
    await browser.send(where ?? expect.fail(), { place })
    await browser.follow('Choose')
  }

  it('are created for a person found by search, in the time zone of the building', async () => {
    const desk = await makeDesk('Stern 1')
    await choose('lovelace', 'stern 1')
    expect(browser.words).to.include('Time zone: Asia/Tokyo').and.include('Until required unless open-ended')
    await browser.submit('Create booking', {
      from_time: '2026-11-23T09:00',
      to_time: '2026-11-23T17:00',
      guest_name: 'Mary',
      guest_email: 'mary@example.org',
      booking_info: 'A visit',
    })
    expect(browser.words)
      .to.include('Stern 1 is booked for Ada Lovelace.')
      .and.include('Guest Mary, mary@example.org Purpose A visit')
    const row = await lastBooking()
    expect(row).to.include({ bookable_id: desk, user_id: ada })
    expect(row.during).to.equal('["2026-11-23 00:00:00+00","2026-11-23 08:00:00+00")')
  })

  it('can be created without an end, and can get an end later', async () => {
    await makeDesk('Stern 2')
    await choose('lovelace', 'stern 2')
    await browser.submit('Create booking', { is_open: 'true', from_time: '' })
    expect(browser.words).to.include('open-ended').and.include('now')
    const { id, during } = await lastBooking()
    expect(during).to.match(/,\)$/)
    await browser.submit('Save changes', { to_time: '2026-11-21T09:00' })
    expect(browser.words).to.include('Changes saved.')
    expect((await rowOf(id)).during).to.include('2026-11-21 00:00:00')
  })

  it('show errors at the fields of the form', async () => {
    await makeDesk('Stern 3')
    await choose('lovelace', 'stern 3')
    const times = { from_time: '2026-11-23T09:00', to_time: '2026-11-23T17:00' }
    const cases: Array<[Record<string, string>, string]> = [
      [{ to_time: '' }, 'Enter when it ends, or choose open-ended.'],
      [{ to_time: '2026-11-23T09:00' }, 'The end must be after the start.'],
      [{ from_time: '2026-11-20T01:00', to_time: '2026-11-20T02:00' }, 'Until must be in the future.'],
      [{ from_time: 'nine' }, 'From must be a date and a time'],
      [{ guest_email: 'mary' }, 'Guest e-mail must be a valid e-mail address.'],
    ]
    for (const [fields, sentence] of cases) {
      const { status } = await browser.submit('Create booking', { ...times, ...fields })
      expect(status, sentence).to.equal(422)
      expect(browser.words).to.include(sentence)
    }
    await browser.open('/dashboard/bookings/new?user=999999&bookable=999999')
    expect(browser.words).to.include('First choose a person and what to book.')
  })

  it('show conflicts, and suggest free alternatives', async () => {
    const desk = await makeDesk('Mast 1')
    await makeDesk('Mast 2')
    const bob = await createUser(world.database, { name: 'Bob', email: 'bob@example.com' })
    const taken = { from: at('24T01:00:00'), to: at('24T02:00:00') }
    await createBooking(world.database, { bookable_id: desk, user_id: bob, ...taken })
    const event_id = await createEvent(world.database, { name: 'Launch', organizer_user_id: ada, ...taken })
    await createBooking(world.database, {
      bookable_id: desk,
      event_id,
      from: at('24T02:00:00'),
      to: at('24T03:00:00'),
    })
    await choose('lovelace', 'mast 1')
    const { status } = await browser.submit('Create booking', {
      from_time: '2026-11-24T09:00',
      to_time: '2026-11-24T18:00',
    })
    expect(status).to.equal(409)
    expect(browser.words).to.include(
      'Mast 1 is taken by Bob (bob@example.com) from 10:00 to 11:00 on 24 Nov 2026. ' +
        'Mast 1 is taken by the meeting “Launch” (Ada Lovelace) from 11:00 to 12:00 on 24 Nov 2026.',
    )
    expect(browser.words).to.match(/Free at that time: .*Mast 2/)
    const kept = browser.form('Create booking').controls.find(({ name }) => name === 'to_time')
    expect(kept?.value).to.equal('2026-11-24T18:00')
    await browser.submit('Create booking', { from_time: '2026-11-24T12:00', to_time: '2026-11-24T18:00' })
    expect(browser.words).to.include('Mast 1 is booked for Ada Lovelace.')
    const moved = await browser.submit('Save changes', { from_time: '2026-11-24T11:30' })
    expect(moved.status).to.equal(409)
    expect(browser.words).to.include('by the meeting “Launch”').and.not.include('Mast 1 is taken by Ada')
  })

  it('are refused for blocked bookables, and for parking spots without the required vehicle', async () => {
    await makeDesk('Closed', { status: 1 })
    await choose('lovelace', 'closed')
    const times = { from_time: '2026-11-25T09:00', to_time: '2026-11-25T17:00' }
    expect((await browser.submit('Create booking', times)).status).to.equal(409)
    expect(browser.words).to.include('Closed is blocked.')

    const spot = await makeDesk('Spot', { type: 1, requires_vehicle: true })
    const carla = await createUser(world.database, { name: 'Carla' })
    await browser.open(`/dashboard/bookings/new?user=${carla}&bookable=${spot}`)
    expect((await browser.submit('Create booking', times)).status).to.equal(422)
    expect(browser.words).to.include('Vehicle is required: Spot can only be booked with a vehicle.')
    const vehicle = await createVehicle(world.database, { user_id: carla, license_plate: 'HH-C 7' })
    await browser.open(`/dashboard/bookings/new?user=${carla}&bookable=${spot}`)
    await browser.submit('Create booking', times)
    expect(browser.words).to.include('License plate HH-C 7')
    expect(await lastBooking()).to.include({ vehicle_id: vehicle, license_plate: 'HH-C 7' })
  })

  it('keep the microseconds of unchanged times', async () => {
    const bookable_id = await makeDesk('Exact')
    const from = '2026-11-20T09:00:12.123456Z'
    const id = await createBooking(world.database, {
      bookable_id,
      user_id: ada,
      from,
      to: at('20T12:00:30.5'),
    })
    await browser.open(`/dashboard/bookings/${id}`)
    await browser.submit('Save changes')
    expect((await rowOf(id)).during)
      .to.include('09:00:12.123456')
      .and.include('12:00:30.5')
    await browser.submit('Save changes', { to_time: '2026-11-20T21:15' })
    expect((await rowOf(id)).during)
      .to.include('09:00:12.123456')
      .and.include('12:15:00')
  })

  it('can be ended while they run, and are read-only once they are over', async () => {
    const bookable_id = await makeDesk('Early')
    const id = await createBooking(world.database, {
      bookable_id,
      user_id: ada,
      from: at('20T08:00:00'),
      to: at('20T12:00:00'),
    })
    await browser.open(`/dashboard/bookings/${id}`)
    const form = browser.form('End booking')
    await browser.send(form)
    expect(browser.words)
      .to.include('Booking ended')
      .and.include('This booking is over and can no longer be changed.')
    expect((await rowOf(id)).during).to.match(/,"2026-11-20 09:3\d:/)
    await browser.open(`/dashboard/bookings/${id}`)
    expect(browser.page.text).to.not.include('method="post"')
    expect((await browser.open(`/dashboard/bookings/${id}/cancel`)).status).to.equal(200)
    expect((await browser.submit('Cancel booking')).status).to.equal(409)
    expect(await rowOf(id)).to.not.equal(undefined)
  })

  it('are cancelled only once, and only after a confirmation', async () => {
    const { bookable_id, user_id } = await createDesk(world.database)
    const id = await createBooking(world.database, {
      bookable_id,
      user_id,
      from: at('21T08:00:00'),
      to: null,
    })
    await browser.open(`/dashboard/bookings/${id}`)
    await browser.follow('Cancel booking')
    // A button “Cancel” beside “Cancel booking” could be mistaken for it, so the second button is “Keep it”.
    expect(browser.words).to.include('Cancel booking Keep it')
    const form = browser.form('Cancel booking')
    await browser.send(form)
    expect(browser.words).to.match(/Booking of .+ for .+ cancelled\./)
    expect(await rowOf(id)).to.equal(undefined)
    await browser.send(form)
    expect(browser.words, 'sent again').to.include('Booking cancelled.')
    expect((await browser.open(`/dashboard/bookings/${id}`)).status).to.equal(404)
    expect(browser.words).to.include('it has been cancelled.')
  })

  it('do not include event rooms', async () => {
    const bookable_id = await makeDesk('Room', { type: 2 })
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const event_id = await createEvent(world.database, times)
    const id = await createBooking(world.database, { bookable_id, event_id, ...times })
    expect((await browser.open(`/dashboard/bookings/${id}`)).status).to.equal(404)
  })

  it('escape hostile texts', async () => {
    const { database } = world
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const house = await createBuilding(database, { name: text })
      const floor = await createLocation(database, { building_id: house, name: text })
      const bookable_id = await createBookable(database, { location_id: floor, name: text, type: 1 })
      const user_id = await createUser(database, { name: text, email: `hostile${index}@example.com` })
      await createVehicle(database, { user_id, license_plate: text })
      const row = { bookable_id, user_id, guest_name: text, booking_info: text, license_plate: text }
      const id = await createBooking(database, { ...row, from: at('20T09:00:00'), to: at('20T12:00:00') })
      await createBooking(database, { bookable_id, user_id, from: at('20T12:00:00'), to: null })
      for (const path of [`bookings?person=hostile${index}`, `bookings/${id}`, `bookings/${id}/cancel`]) {
        expectHarmless((await browser.open(`/dashboard/${path}`)).text, text)
      }
      const query = new URLSearchParams({ person: `hostile${index}`, place: text })
      expectHarmless((await browser.open(`/dashboard/bookings/new?${query}`)).text, text)
      await browser.open(`/dashboard/bookings/new?user=${user_id}&bookable=${bookable_id}`)
      const refused = await browser.submit('Create booking', {
        guest_name: text,
        from_time: '2026-11-20T13:00',
        to_time: '2026-11-20T14:00',
      })
      expect(refused.status, refused.text).to.equal(409)
      expectHarmless(refused.text, text)
    }
  })
})
