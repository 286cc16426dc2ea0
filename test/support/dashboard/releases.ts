// Shared helpers for tests of pages that release many bookings: each booking is released once, by any worker.
import { expect } from 'chai'
import { startWorkerProcess } from '../processes.ts'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'
import type { Browser } from './dashboard.ts'

// A second worker takes over a job only when the first worker counts as dead.
const TAKEN_OVER_MS_MAX = 120_000

export const countBookings = async ({ database }: World) =>
  Number((await database('bookings').count())[0]?.count)

/** Expects the given number of releases on the page, each with one audit entry and one change in the feed. */
export async function expectReleasedOnce(world: World, browser: Browser, number: number, action: string) {
  await eventually(async () => {
    await browser.open(browser.page.path)
    expect(browser.words).to.include(`${number.toLocaleString('en')} bookings released.`)
  }, TAKEN_OVER_MS_MAX)
  const released = await world.database('audit_log').where({ action }).pluck('resource_id')
  expect([released.length, new Set(released).size]).to.deep.equal([number, number])
  const changes = await world
    .database('changes')
    .where({ type: 'booking' })
    .whereIn('resource_id', released)
    .pluck('resource_id')
  expect([changes.length, new Set(changes).size]).to.deep.equal([number, number])
}

/** Kills a worker in its third chunk, which waits for a booking that somebody else has locked. */
export async function releaseTwoChunks(world: World, held: number): Promise<void> {
  const before = await countBookings(world)
  const other = await world.database.transaction()
  await other('bookings').where({ id: held }).forUpdate()
  const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }
  const killed = await startWorkerProcess(environment, ['imports'])
  await eventually(async () => expect(await countBookings(world)).to.equal(before - 1_000))
  killed.kill('SIGKILL')
  await killed.ended
  await other.rollback()
}
