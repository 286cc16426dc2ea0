// Tests changes with more conflicting bookings than one write releases: the place is closed, blocked or
// assigned immediately, and a job on any live worker releases the bookings in pieces, each booking once.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  countBookings,
  expectReleasedOnce,
  releaseTwoChunks,
} from '../../../../support/dashboard/releases.ts'
import { createBookable, createBooking, createLocation, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const BOOKING_COUNT = 1_500

describe('more affected bookings than one write can release', function suite() {
  this.timeout(300_000)
  const world = useWorld({ each: true, workers: ['writes'] })
  const browser = useSignedIn(world)
  let building: number
  let location_id: number
  let desk: number
  let user_id: number
  const days = (number: number) => new Date(Date.now() + number * 86_400_000).toISOString()
  const closed = () => ({
    'closed.from': days(1).slice(0, 10),
    'closed.to': days(90).slice(0, 10),
    'closed.reason': 'Moving',
  })

  beforeEach(async () => {
    location_id = await createLocation(world.database)
    building = (await world.database('locations').where({ id: location_id }).first()).building_id
    desk = await createBookable(world.database, { location_id, name: 'Desk 1' })
    user_id = await createUser(world.database)
  })

  /** Creates bookings of an hour each, from the day after tomorrow on; returns their ids in order. */
  async function book(number: number): Promise<number[]> {
    const { rows } = await world.database.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT :desk, :user_id, tstzrange(:from::timestamptz + number * interval '1 hour', :from::timestamptz + (number + 1) * interval '1 hour'), true
       FROM generate_series(0, CAST(:number AS int) - 1) AS number RETURNING id`,
      { desk, user_id, number, from: days(2) },
    )
    return rows.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  }

  async function closeBuilding() {
    await browser.open(`/dashboard/places/buildings/${building}/rules`)
    await browser.submit('Save rules', closed())
    await browser.submit('Save rules', { in_the_way: 'release' })
    expect(browser.words).to.include('Rules saved.')
    expect(browser.page.path).to.match(/^\/dashboard\/people\/releases\//)
  }
  const rulesOf = async () => (await world.database('buildings').where({ id: building }).first()).rules

  it('are released after a building is closed; an open-ended booking loses only the closed days', async () => {
    await book(BOOKING_COUNT - 1)
    const other = await createBookable(world.database, { location_id })
    const kept = await createBooking(world.database, { bookable_id: other, user_id, from: days(0), to: null })
    await closeBuilding()
    expect(await rulesOf()).to.have.property('closed')
    expect(browser.words).to.include('0 of 1,500 bookings released')
    const own = { bookable_id: other, user_id, from: days(30), to: days(31), exclusive: false }
    const later = await createBooking(world.database, own)
    await browser.open('/dashboard/places')
    await browser.follow('View progress')
    const workers = await world.startWorkers(['imports'])
    await expectReleasedOnce(world, browser, BOOKING_COUNT, 'bookings.clear')
    await workers.stop()
    const left = await world.database('bookings').orderBy('id').select('id', 'bookable_id')
    expect(left.map(({ id }) => id))
      .to.include.members([kept, later])
      .and.have.length(3)
    expect(left.map(({ bookable_id }) => bookable_id)).to.deep.equal([other, other, other])
  })

  it('are released exactly once, even if the worker is killed', async () => {
    const held = await book(BOOKING_COUNT)
    await closeBuilding()
    await releaseTwoChunks(world, held[1_100] ?? 0)
    await browser.open(browser.page.path)
    expect(browser.words).to.include('1,000 of 1,500 bookings released')
    const workers = await world.startWorkers(['imports', 'upkeep'])
    await expectReleasedOnce(world, browser, BOOKING_COUNT, 'bookings.clear')
    expect(await countBookings(world)).to.equal(0)
    await workers.stop()
  })

  it('are released after a desk is assigned, except the new assignee’s own', async () => {
    await book(1_001)
    const email = 'cora.lind@example.com'
    const theirs = { user_id: await createUser(world.database, { name: 'Cora Lind', email }) }
    await createBooking(world.database, { bookable_id: desk, ...theirs, from: days(80), to: days(81) })
    await browser.open(`/dashboard/places/bookables/${desk}/assign?search=${email}`)
    await browser.submit('Assign')
    await browser.submit('Assign to Cora Lind', { in_the_way: 'release' })
    expect(browser.words).to.include('Desk 1 is assigned to Cora Lind.')
    const workers = await world.startWorkers(['imports'])
    await expectReleasedOnce(world, browser, 1_001, 'bookings.clear')
    expect(await world.database('bookings').pluck('user_id')).to.deep.equal([theirs.user_id])
    await workers.stop()
  })

  it('are released after their desk is blocked', async () => {
    await book(1_001)
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way: 'release' })
    expect(browser.words).to.include('Changes saved.')
    const workers = await world.startWorkers(['imports'])
    await expectReleasedOnce(world, browser, 1_001, 'bookings.clear')
    await browser.follow('People to notify')
    expect(browser.words).to.include('Only the first 100 are shown.').and.include('Desk 1')
    await workers.stop()
  })

  it('prevent the deletion of their desk until blocking the desk has released them', async () => {
    await book(1_001)
    await browser.open(`/dashboard/places/locations/${location_id}/delete-bookables?ids=${desk}`)
    await browser.submit('Delete it', { in_the_way: 'release' })
    expect(browser.words).to.include('More than 1,000 bookings or meetings conflict with this')
    expect(await countBookings(world)).to.equal(1_001)
  })
})
