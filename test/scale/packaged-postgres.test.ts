// Tests the PostgreSQL of a Linux package with its default settings: it compiles expensive statements just in time
// (llvmjit). `.ci/run` also runs this file. Other tests switch compilation off for the whole server, and would not
// notice.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { measureCpuUs } from '../../bench/stage/process-table.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { createDesk, hoursFromNow } from '../support/factories.ts'
import { eventually } from '../support/time.ts'
import { use, useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { findNewestPostgres, startDebianPostgres } from './stage/debian-postgres.ts'
import { runSuiteOn } from './stage/suite.ts'

// Disables fsync, because the test is not about the disk.
const POSTGRES_SETTINGS = { max_connections: '400', fsync: 'off' }
const SETTLE_MS = 3_000
const IDLE_MS = 20_000
const IDLE_CPU_SHARE_MAX = 0.03
const DELIVERED_MS_MAX = 60_000

describe('a packaged PostgreSQL', function () {
  this.timeout(1_800_000)
  const postgres = use(() => startDebianPostgres(findNewestPostgres(), POSTGRES_SETTINGS), {
    close: (made) => made.stop(),
  })
  const migrated = useWith(postgres, async () => {
    const database = connectDatabase(postgres.url)
    await eventually(() => database.raw('SELECT 1'))
    await migrateUp(database)
    await database.destroy()
    return { url: postgres.url }
  })

  it('compiles expensive statements just in time, unless a connection disables that', async () => {
    const client = new pg.Client(postgres.url)
    await client.connect()
    const { rows } = await client.query('SELECT pg_jit_available() AS compiles')
    await client.end()
    expect(rows).to.deep.equal([{ compiles: true }])
  })

  describe('a packaged PostgreSQL under an idle installation of Berth', () => {
    const world = useWorld(() => ({
      databaseUrl: migrated.url,
      workers: ['writes', 'imports', 'exports', 'upkeep'],
    }))
    const client = useClient(world)
    useWith(
      world,
      () => startHooks({ ...world.config, metricsPort: undefined }, createLog('test', 'silent')),
      (hooks) => hooks.stop(),
    )

    it('uses at most 3 % of a CPU core together with all idle processes', async () => {
      const body = { url: 'https://receiver.invalid/', types: ['*'] }
      expect((await client.post('webhooks', body)).status).to.equal(200)
      await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
      const desk = await createDesk(world.database)
      await client.post('bookings', { ...desk, from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
      // Waits for a delivery that got no response and is waiting for its next attempt.
      await eventually(
        async () =>
          expect(await world.database('webhook_deliveries').whereNotNull('took_ms')).to.not.be.empty,
        DELIVERED_MS_MAX,
      )
      await wait(SETTLE_MS)
      const [usedUs, startedMs] = [measureCpuUs([postgres.pid]), performance.now()]
      await wait(IDLE_MS)
      const share = (measureCpuUs([postgres.pid]) - usedUs) / ((performance.now() - startedMs) * 1_000)
      console.log(`      ${(share * 100).toFixed(2)} % of a core`)
      expect(share).to.be.below(IDLE_CPU_SHARE_MAX)
    })
  })

  it('passes the core of the HTTP test suite', () => runSuiteOn({ databaseUrl: postgres.url }))
})
