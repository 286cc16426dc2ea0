// Releases of many bookings, as the tests of their pages watch them: each booking once, whichever worker is alive.
import { expect } from 'chai'
import { startWorkerProcess } from '../processes.ts'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'
import type { Browser } from './dashboard.ts'

// Before a worker is taken for dead its job is not taken over.
const TAKEN_OVER_MS_MAX = 120_000

export const countBookings = async ({ database }: World) =>
  Number((await database('bookings').count())[0]?.count)

/** On the page of the release: so many are released, each with one entry in the audit log and one in the feed. */
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

/** By a worker that does two pieces, and is killed in the third: somebody else holds that booking. */
export async function releaseTwoPieces(world: World, held: number): Promise<void> {
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
