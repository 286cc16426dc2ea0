// Tests a home office and a desk at the same time: the page asks the person before it books the second one.
import { expect } from 'chai'
import { createBookable, createBooking, createBuilding, createLocation } from '../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

const HOUR_MS = 3_600_000

describe('a home office booked beside a desk', () => {
  const world = useWorld()

  async function createBooked(kind: 'desk' | 'home', span = { from: FROM, to: TO }) {
    const floor = await createFloor(world)
    const { location_id, user_id } = floor
    const home = await createBookable(world.database, { location_id, type: 3, name: 'Home' })
    const [desk = 0] = floor.desks
    const id = await createBooking(world.database, {
      user_id,
      bookable_id: kind === 'desk' ? desk : home,
      ...span,
      ...(kind === 'home' && { exclusive: false }),
    })
    return { ...floor, home, desk, id }
  }
  const held = async (user_id: number) =>
    (
      await world
        .database('bookings')
        .where({ user_id })
        .orderByRaw('lower(during), bookable_id')
        .select(
          'bookable_id',
          world.database.raw("to_char(lower(during) AT TIME ZONE 'UTC', 'DD HH24:MI') AS from"),
        )
        .select(world.database.raw("to_char(upper(during) AT TIME ZONE 'UTC', 'HH24:MI') AS to"))
    ).map((each) => [Number(each.bookable_id), each.from, each.to])

  it('is booked only after the person decides about the desk, which stays booked if they keep both', async () => {
    const { browser, home, desk, user_id } = await createBooked('desk')
    await browser.open(`/my/book/${home}?date=${DAY}`)
    expect(browser.words).to.include('You have Desk 1 (Third floor, Quay), Tue, 11 Feb 2031, 09:00 – 17:00.')
    await browser.submit('Book')
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('Choose what should happen.')
    expect(browser.words.split('You have Desk 1')).to.have.length(2)
    expect(await held(user_id)).to.have.length(1)
    await browser.submit('Book', { other_kind: 'keep' })
    expect(browser.words).to.include('Home (Third floor, Quay) is booked')
    expect(await held(user_id)).to.deep.equal([
      [desk, '11 08:00', '16:00'],
      [home, '11 08:00', '16:00'],
    ])
  })

  it('replaces the desk if the person gives up the desk for that time', async () => {
    const { browser, home, user_id } = await createBooked('desk')
    await browser.open(`/my/book/${home}?date=${DAY}`)
    await browser.submit('Book', { other_kind: 'free' })
    expect(await held(user_id)).to.deep.equal([[home, '11 08:00', '16:00']])
  })

  for (const from of ['09:00', '13:00'])
    it(`is undone and the desk restored if the person presses Undo after booking from ${from}`, async () => {
      const { browser, home, desk, user_id } = await createBooked('desk')
      await browser.open(`/my/book/${home}?date=${DAY}&from=${from}&to=17:00`)
      await browser.submit('Book', { other_kind: 'free' })
      await browser.submit('Undo')
      expect(browser.words).to.include('Undone.')
      expect(await held(user_id)).to.deep.equal([[desk, '11 08:00', '16:00']])
    })

  it('is not undone if somebody else has booked the old desk in the meantime', async () => {
    const { browser, home, desk, user_id } = await createBooked('desk')
    await browser.open(`/my/book/${home}?date=${DAY}`)
    await browser.submit('Book', { other_kind: 'free' })
    await createBooking(world.database, { bookable_id: desk, from: FROM, to: TO })
    await browser.submit('Undo')
    expect(browser.words).to.not.include('Undone.')
    // The page shows the form again, which still contains both bookings.
    await browser.submit('Undo')
    expect(browser.words).to.not.include('Undone.')
    expect(await held(user_id)).to.deep.equal([[home, '11 08:00', '16:00']])
  })

  it('shows the time zones of the form and of the desk booking if they differ', async () => {
    const { browser, desk, home, building_id } = await createBooked('home')
    await browser.open(`/my/book/${desk}?date=${DAY}`)
    expect(browser.words).to.not.include('(Etc/UTC)').and.not.include('(UTC)')
    const zoned = { timezone: 'Europe/Lisbon' }
    const other = await createBuilding(world.database, zoned)
    const location_id = await createLocation(world.database, { building_id: other })
    await world.database('bookables').where({ id: home }).update({ location_id })
    await world.database('buildings').where({ id: building_id }).update({ timezone: 'Europe/Berlin' })
    await browser.open(`/my/book/${desk}?date=${DAY}`)
    expect(browser.words).to.include('(Europe/Lisbon). What should happen to it?')
    expect(browser.words).to.include('(Europe/Berlin)')
  })

  it('replaces the desk for the rest of the current day', async () => {
    const { browser, home, desk, user_id } = await createBooked('desk')
    await browser.open(`/my/book/${home}?date=${DAY}&from=13:00&to=17:00`)
    await browser.submit('Book', { other_kind: 'free' })
    expect(await held(user_id)).to.deep.equal([
      [desk, '11 08:00', '12:00'],
      [home, '11 12:00', '16:00'],
    ])
  })

  it('is mentioned to the person when they book a desk', async () => {
    const { browser, home, desk, user_id } = await createBooked('home')
    await browser.open(`/my/book/${desk}?date=${DAY}`)
    expect(browser.words).to.include('You have Home (Third floor, Quay)')
    await browser.submit('Book', { guest_name: 'Gus Guest' })
    expect(await held(user_id)).to.have.length(2)
    await world.database('bookings').where({ bookable_id: desk }).delete()
    await browser.open(`/my/book/${desk}?date=${DAY}`)
    await browser.submit('Book', { other_kind: 'free' })
    expect(await held(user_id)).to.deep.equal([[desk, '11 08:00', '16:00']])
    expect(home).to.be.a('number')
  })

  it('leaves a desk that is booked without an end, and the page says that the person has it', async () => {
    const { browser, home, desk, user_id, id } = await createBooked('desk')
    await world
      .database('bookings')
      .where({ id })
      .update({ during: world.database.raw("tstzrange('2031-01-01T08:00:00Z', NULL)") })
    await browser.open(`/my/book/${home}?date=${DAY}`)
    expect(browser.words).to.include('You already have Desk 1 (Third floor, Quay), ')
    await browser.submit('Book')
    expect(await held(user_id)).to.deep.equal([
      [desk, '01 08:00', null],
      [home, '11 08:00', '16:00'],
    ])
  })

  it('raises no question about the desk if the times do not overlap', async () => {
    const { browser, home } = await createBooked('desk', { from: FROM, to: `${DAY}T11:00:00Z` })
    await browser.open(`/my/book/${home}?date=${DAY}&from=12:00&to=17:00`)
    expect(browser.words).to.not.include('You have Desk 1')
    await browser.submit('Book')
    expect(browser.words).to.include('Home (Third floor, Quay) is booked')
  })

  it('raises a question about every day of a series, and replaces the desks on the booked days', async () => {
    const later = { from: '2031-02-18T08:00:00Z', to: '2031-02-18T16:00:00Z' }
    const { browser, home, user_id } = await createBooked('desk', later)
    await browser.open(`/my/book/${home}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-02-25' })
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('You have Desk 1 (Third floor, Quay), Tue, 18 Feb 2031, 09:00 – 17:00.')
    expect(await held(user_id)).to.have.length(1)
    await browser.submit('Book', { other_kind: 'free' })
    expect(await held(user_id)).to.deep.equal([
      [home, '11 08:00', '16:00'],
      [home, '18 08:00', '16:00'],
      [home, '25 08:00', '16:00'],
    ])
  })

  it('leaves the desk on a listed day when the home office could not be booked', async () => {
    const { browser, home, desk, user_id } = await createBooked('desk')
    await browser.open(`/my/book/${home}?date=${DAY}`)
    const [, day = ''] = /name="days" value="([\d-]+)"/.exec(browser.page.text) ?? []
    const span = { from: `${day}T06:00:00Z`, to: `${day}T18:00:00Z` }
    await createBooking(world.database, { user_id, bookable_id: desk, ...span })
    await world
      .database('bookables')
      .where({ id: home })
      .update({ rules: JSON.stringify({ closed: [{ ...span, reason: 'Move' }] }) })
    await browser.submit('Book', { days: day, other_kind: 'free' })
    expect(browser.words).to.include('Skipped')
    expect((await held(user_id)).map(([id]) => id)).to.deep.equal([desk, home])
  })

  it('raises a question before the usual desk or the desk of a QR code is booked', async () => {
    const { browser, desk, user_id, building_id, home } = await createBooked('desk')
    await world.database('bookings').delete()
    await world
      .database('buildings')
      .where({ id: building_id })
      .update({ timezone: findZoneAt(12) })
    const [from, to] = [-1, 2].map((hours) => new Date(Date.now() + hours * HOUR_MS).toISOString()) as [
      string,
      string,
    ]
    await createBooking(world.database, { user_id, bookable_id: home, exclusive: false, from, to })
    const code = 'home-office-code'
    await world.database('bookable_codes').insert({ code, bookable_id: desk })
    await browser.open(`/my/at/${code}`)
    const [button = ''] = /Book until \d\d:\d\d/.exec(browser.words) ?? []
    await browser.submit(button)
    expect(browser.page.path).to.match(new RegExp(`^/my/book/${desk}\\?`))
    expect(browser.words).to.include('Choose what should happen.')
    expect(await world.database('bookings').where({ bookable_id: desk })).to.have.length(0)
  })
})

/** Returns a time zone in which it is now about the given hour. */
function findZoneAt(hour: number): string {
  const ahead = hour - new Date().getUTCHours()
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}
