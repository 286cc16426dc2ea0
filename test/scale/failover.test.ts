// Kills the primary under load and promotes its replica: with both hosts in DATABASE_URL, Berth continues with the new
// primary by itself. `ROUNDS` sets the number of failovers.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { ReplicatedPostgres } from '../support/faults/replica.ts'
import { promised } from '../support/time.ts'
import { createWorld } from '../support/world.ts'
import { Bookers } from './stage/bookers.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CALLER_COUNT = 12
const BOOKING_COUNT = 100
/** The time until the replica is promoted. */
const PROMOTION_DELAY_MS = 3_000
const BACK_MS_MAX = promised(5_000)

describe('Postgres on two hosts, when the primary dies', () => {
  for (let round = 1; round <= ROUNDS; round++) {
    it(`loses no write, causes no false response, and continues on the second host: ${round}`, async () => {
      const postgres = await ReplicatedPostgres.start({ synchronous: true })
      const world = await createWorld({
        databaseUrl: postgres.urlOfBoth,
        environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
      })
      const other = await world.startGateway()
      const { token = '' } = await world.client()
      const urls = Array.from({ length: CALLER_COUNT }, (_, number) => (number % 2 ? other.url : world.url))
      const bookers = await Bookers.start(world.database, token, urls)
      try {
        await bookers.waitForMoreBookings(BOOKING_COUNT)
        const killedMs = performance.now()
        await postgres.killPrimary()
        await wait(PROMOTION_DELAY_MS)
        const promotedMs = performance.now()
        await postgres.promoteReplica()
        const firstMs = await bookers.waitForMoreBookings(BOOKING_COUNT)
        await bookers.stop()
        const account = await bookers.account(world.database)
        const backMs = Math.round(firstMs - promotedMs)
        console.log(JSON.stringify({ awayMs: Math.round(promotedMs - killedMs), backMs, ...account }))
        expect(account).to.deep.include({ lost: 0, doneThoughRefused: 0, others: [] })
        expect(backMs).to.be.below(BACK_MS_MAX)
      } finally {
        await bookers.stop()
        await world.close()
        await postgres.stop()
      }
    })
  }
})
