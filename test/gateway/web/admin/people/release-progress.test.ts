// Tests the release of many bookings by a job: any live worker continues it, each booking is released once, and a page
// shows the progress.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  countBookings,
  expectReleasedOnce,
  releaseTwoChunks,
} from '../../../../support/dashboard/releases.ts'
import { createUser } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const DEACTIVATED_PEOPLE_PATH = '/dashboard/people/deactivated'
const BOOKING_COUNT = 1_250

describe('releasing many bookings in the dashboard', function suite() {
  this.timeout(300_000)
  const world = useWorld({ each: true, workers: ['writes'] })
  const browser = useSignedIn(world)

  /** Creates bookings of a deactivated user; returns their ids in the order of their release. */
  async function createHeld(): Promise<number[]> {
    const user_id = await createUser(world.database, { deactivated_at: new Date() })
    const { rows } = await world.database.raw(
      `WITH building AS (INSERT INTO buildings (name) VALUES ('One') RETURNING id),
         location AS (INSERT INTO locations (building_id, name) SELECT id, 'One' FROM building RETURNING id),
         desk AS (INSERT INTO bookables (location_id, name, type) SELECT id, 'One', 0 FROM location RETURNING id)
       INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT desk.id, ?, tstzrange(now() + number * interval '1 hour', now() + (number + 1) * interval '1 hour'), true
       FROM desk, generate_series(1, ?) AS number RETURNING id`,
      [user_id, BOOKING_COUNT],
    )
    return rows.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  }
  const expectAllReleased = async () => {
    await expectReleasedOnce(world, browser, BOOKING_COUNT, 'bookings.release')
    expect(await countBookings(world)).to.equal(0)
  }

  it('runs as an accepted job, whose progress page can be left and found again', async () => {
    await createHeld()
    await browser.open(DEACTIVATED_PEOPLE_PATH)
    await browser.follow('Release all bookings')
    await browser.submit('Release all')
    expect(browser.page.path).to.match(/^\/dashboard\/people\/releases\//)
    expect(browser.words).to.include('0 of 1,250 bookings released')
    await browser.open(DEACTIVATED_PEOPLE_PATH)
    await browser.follow('View progress')
    const workers = await world.startWorkers(['imports'])
    await expectAllReleased()
    await browser.open(DEACTIVATED_PEOPLE_PATH)
    expect(browser.words).to.not.include('View progress')
    await workers.stop()
  })

  it('continues after the worker is killed, and releases each booking once', async () => {
    const held = await createHeld()
    await browser.open(`${DEACTIVATED_PEOPLE_PATH}/release`)
    await browser.submit('Release all')
    await releaseTwoChunks(world, held[1_100] ?? 0)
    await browser.open(browser.page.path)
    expect(browser.words).to.include('1,000 of 1,250 bookings released')
    const workers = await world.startWorkers(['imports', 'upkeep'])
    await expectAllReleased()
    await workers.stop()
  })

  it('ignores the bookings of people who were deactivated after the release was requested', async () => {
    await createHeld()
    await browser.open(`${DEACTIVATED_PEOPLE_PATH}/release`)
    await browser.submit('Release all')
    const later = await createUser(world.database, { deactivated_at: new Date(Date.now() + 60_000) })
    const { rows } = await world.database.raw('SELECT max(id) AS id FROM bookings')
    await world.database('bookings').where({ id: rows[0].id }).update({ user_id: later })
    const workers = await world.startWorkers(['imports'])
    await eventually(async () => {
      await browser.open(browser.page.path)
      expect(browser.words).to.include('1,249 bookings released.')
    })
    expect(await countBookings(world)).to.equal(1)
    await workers.stop()
  })
})
