// Kills the leader of Patroni 3 with PostgreSQL 15 under load. One gateway and the workers connect through HAProxy,
// another gateway lists all nodes.
import { expect } from 'chai'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { createWorld } from '../support/world.ts'
import { Bookers } from './stage/bookers.ts'
import { PatroniCluster } from './stage/patroni.ts'

const CALLER_COUNT = 6
const BOOKING_COUNT = 100
// HAProxy checks its servers once a second.
const BACK_MS_MAX = promised(5_000)

describe('a Patroni cluster whose leader is killed', () => {
  const cluster = use(() => PatroniCluster.start(), { close: (made) => made.stop() })

  it('loses no write, causes no false response, and continues with a new leader', async () => {
    const database = connectDatabase(cluster.urlOfAll)
    await migrateUp(database)
    await database.destroy()
    const environment = { RATE_LIMIT_PER_MINUTE: '1000000' }
    const world = await createWorld({ databaseUrl: cluster.url, environment })
    const other = await world.startGateway({ DATABASE_URL: cluster.urlOfAll })
    const { token = '' } = await world.client()
    const urls = Array.from({ length: CALLER_COUNT }, (_, number) => (number % 2 ? other.url : world.url))
    const bookers = await Bookers.start(world.database, token, urls)
    try {
      await bookers.waitForMoreBookings(BOOKING_COUNT)
      const killedMs = performance.now()
      await cluster.killLeader()
      await cluster.elected()
      const electedMs = performance.now()
      const firstMs = await bookers.waitForMoreBookings(BOOKING_COUNT)
      await bookers.stop()
      const account = await bookers.account(world.database)
      const backMs = Math.round(firstMs - electedMs)
      console.log(JSON.stringify({ electedMs: Math.round(electedMs - killedMs), backMs, ...account }))
      expect(account).to.deep.include({ lost: 0, doneThoughRefused: 0, others: [] })
      expect(backMs).to.be.below(BACK_MS_MAX)
    } finally {
      await bookers.stop()
      await world.close()
    }
  })
})
