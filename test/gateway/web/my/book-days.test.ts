// Tests booking several days and parking on people's own pages: the page gives a reason for each skipped day,
// and one press books a free alternative.
import { expect } from 'chai'
import { createBookable, createBooking, createVehicle } from '../../../support/factories.ts'
import { createFloor, DAY } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

const SECOND_TUESDAY = { from: '2031-02-18T08:00:00Z', to: '2031-02-18T16:00:00Z' }

describe('booking several days on people’s own pages', () => {
  const world = useWorld()
  const bookedBy = (user_id: number) =>
    world.database('bookings').where({ user_id }).orderBy('during').select('bookable_id', 'vehicle_id')

  it('books every Tuesday, and another desk on days when the chosen desk is taken', async () => {
    const { browser, desks, user_id } = await createFloor(world)
    await createBooking(world.database, { bookable_id: desks[0], ...SECOND_TUESDAY })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-02-25' })
    expect(browser.words).to.include('Not free: Tue 18 Feb (taken).')
    expect(await bookedBy(user_id)).to.have.length(0)
    await browser.submit('Book the other days')
    expect(browser.words).to.include(
      'Desk 1 (Third floor, Quay) is booked on 2 days. Skipped: Tue 18 Feb (taken).',
    )
    expect(browser.words).to.include('Tue, 18 Feb 2031 Desk 2 Third floor')
    await browser.submit('Book on 1 day')
    expect(browser.words).to.include('Booked on 1 more day.')
    const booked = await bookedBy(user_id)
    expect(booked.map(({ bookable_id }) => bookable_id)).to.deep.equal([desks[0], desks[1], desks[0]])
  })

  it('shows the reason for each skipped day', async () => {
    const closed = [{ from: '2031-02-24T23:00:00Z', to: '2031-02-25T23:00:00Z', reason: 'Works' }]
    const { browser, desks, user_id } = await createFloor(world, { rules: { closed, one_at_a_time: true } })
    await createBooking(world.database, { bookable_id: desks[1], user_id, ...SECOND_TUESDAY })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-02-25' })
    await browser.submit('Book the other days')
    expect(browser.words).to.include(
      'Desk 1 (Third floor, Quay) is booked on 1 day. Skipped: Tue 18 Feb (another booking at that time); Tue 25 Feb (closed).',
    )
    expect(browser.page.path).to.match(/^\/my\/bookings\/\d+$/)
  })

  it('books several weekdays every second week as one series, from the first of these days on', async () => {
    const { browser, desks, user_id } = await createFloor(world)
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: ['1', '4'], repeat_until: '2031-03-01', fortnightly: 'true' })
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked on 3 days.')
    const bookings = await world.database('bookings').where({ user_id }).orderBy('during')
    expect(bookings.map(({ during }) => during.slice(2, 12))).to.deep.equal([
      '2031-02-13',
      '2031-02-24',
      '2031-02-27',
    ])
    expect(new Set(bookings.map(({ series_id }) => series_id)).size).to.equal(1)
  })

  it('shows other conflicts again if they changed after the person saw them, and books nothing if none is free', async () => {
    const { browser, desks, user_id } = await createFloor(world)
    await createBooking(world.database, { bookable_id: desks[0], ...SECOND_TUESDAY })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-02-25' })
    const third = { from: '2031-02-25T08:00:00Z', to: '2031-02-25T16:00:00Z' }
    await createBooking(world.database, { bookable_id: desks[0], ...third })
    await browser.submit('Book the other days')
    expect(browser.words).to.include('Not free: Tue 18 Feb, Tue 25 Feb (taken).')
    await browser.submit('Book the other days', { repeat_on: '2', repeat_until: '2031-02-11' })
    expect(await bookedBy(user_id)).to.have.length(1)
    await browser.open(`/my/book/${desks[0]}?date=2031-02-18`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-02-25' })
    expect(browser.words).to.include('It is not free on any of these days.')
    await browser.submit('Book', { repeat_on: [], repeat_until: '2031-02-25' })
    expect(browser.words).to.include('Choose the days of the week.')
  })

  it('books the days that the person chooses from the coming days', async () => {
    const { browser, desks, user_id } = await createFloor(world)
    await browser.open(`/my/book/${desks[0]}`)
    const [day] = /name="days" value="([^"]*)"/.exec(browser.page.text)?.slice(1) ?? []
    await browser.submit('Book', { days: [day ?? ''] })
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked on 2 days.', browser.words)
    expect(await bookedBy(user_id)).to.have.length(2)
  })
})

describe('booking a parking spot on people’s own pages', () => {
  const world = useWorld()

  async function createSpot() {
    const found = await createFloor(world)
    const spot = await createBookable(world.database, {
      location_id: found.location_id,
      type: 1,
      name: 'P-1',
      requires_vehicle: true,
    })
    return { ...found, spot, page: `/my/book/${spot}?date=${DAY}` }
  }
  const booked = (user_id: number) => world.database('bookings').where({ user_id }).first()

  it('uses the vehicle that the person chooses', async () => {
    const { browser, page, user_id } = await createSpot()
    const vehicle = await createVehicle(world.database, { user_id })
    await browser.open(page)
    await browser.submit('Book')
    expect((await booked(user_id)).vehicle_id).to.equal(vehicle)
  })

  it('shows spots to a person without a vehicle, who enters a plate while booking', async () => {
    const { browser, place, user_id } = await createSpot()
    await browser.open(`${place}&type=1`)
    await browser.follow('P-1')
    await browser.submit('Book')
    expect(browser.words).to.include('P-1 can only be booked with a vehicle.')
    await browser.submit('Book', { license_plate: 'HH-AL 1815' })
    expect(browser.words).to.include('P-1 (Third floor, Quay) is booked')
    expect((await booked(user_id)).license_plate).to.equal('HH-AL 1815')
  })

  it('stores a vehicle once if only capitals and spaces of the plate differ', async () => {
    const { browser, page, user_id } = await createSpot()
    const vehicle = await createVehicle(world.database, { user_id, license_plate: 'HH-AL 1815' })
    await browser.open(page)
    await browser.submit('Book', { license_plate: ' hh-al  1815' })
    expect((await booked(user_id)).vehicle_id).to.equal(vehicle)
    expect(await world.database('vehicles').where({ user_id })).to.have.length(1)
  })

  it('stores a second vehicle if the hyphen of the plate is in another position', async () => {
    const { browser, page, user_id } = await createSpot()
    const vehicle = await createVehicle(world.database, { user_id, license_plate: 'BE-R 2' })
    await browser.open(page)
    await browser.submit('Book', { license_plate: 'B-ER 2' })
    const { vehicle_id, license_plate } = await booked(user_id)
    expect(license_plate).to.equal('B-ER 2')
    expect(vehicle_id).to.not.equal(vehicle)
  })
})
