// Tests an outage of Postgres: requests that need Postgres are refused quickly, every reply is correct, and
// Berth recovers by itself.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAnswers, Observer } from '../support/faults/observer.ts'
import {
  RECOVERY_MS,
  REFUSED_MS_MAX,
  testPostgresOutage,
  USUAL_ANSWER_MS_MAX,
} from '../support/faults/outages.ts'
import { countBookings, createSlot, type Proxies, withProxiedWorld } from '../support/faults/pipeline.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { eventually, isLong, measureTime, promised } from '../support/time.ts'

const outageMs = 3_000
// The time for which a worker waits for a reply from Postgres.
const SOCKET_IDLE_TIMEOUT_MS = 5_000
// The time for which a write queued just before the outage waits for Postgres.
const WRITE_WAIT_MS = 2_000
const environment = { WRITE_WAIT_MS: String(WRITE_WAIT_MS) }

describe('an outage of Postgres', () => {
  itInParallel({
    'makes requests fail within 2.5 s while Postgres is down, and ends within 2 s': () =>
      testPostgresOutage({ begin: (postgres) => postgres.cut(), outageMs, environment }),

    'makes requests fail within 2.5 s while Postgres is frozen, and ends within 2 s': () =>
      testPostgresOutage({ begin: (postgres) => postgres.freeze(), outageMs, environment }),

    'ends within seconds after silent connections are closed': () =>
      withProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
        const observer = await Observer.start(world, client)
        await observer.recovery('write', 0)
        const sides = [gateway.postgres, workers.postgres]
        for (const side of sides) side.freeze()
        await wait(500)
        await Promise.all(sides.map((side) => side.restore({ lost: true })))
        const overMs = Date.now()
        const limits = {
          read: promised(REFUSED_MS_MAX),
          write: promised(SOCKET_IDLE_TIMEOUT_MS + RECOVERY_MS),
        }
        for (const kind of ['read', 'write'] as const) {
          const sinceMs = await observer.calm(kind, overMs, limits[kind] + 2_000)
          expect(sinceMs - overMs, kind).to.be.lessThan(limits[kind])
        }
        await observer.stop()
        await observer.expectTruth()
      }),
  })
})

describe('an outage of Postgres', () => {
  itInParallel({
    'delays requests only briefly if Postgres ends all connections': () =>
      withProxiedWorld(environment, async ({ world, client }) => {
        const observer = await Observer.start(world, client)
        await observer.recovery('write', 0)
        await wait(500)
        const endedMs = Date.now()
        await world.database.raw(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name LIKE 'berth-%'`,
        )
        const settledMs = endedMs + (isLong ? 500 : 2_500)
        await wait(settledMs + 1_000 - Date.now())
        await observer.stop()
        for (const kind of ['read', 'write'] as const)
          expectAnswers(observer.samples(kind, settledMs), { statuses: ['200'], ms: USUAL_ANSWER_MS_MAX })
        await observer.expectTruth()
      }),

    'delays a running job if workers lose Postgres, which completes if Postgres returns in time': () =>
      withProxiedWorld({}, async ({ world, workers, client }) => {
        const slot = await createSlot(world)
        const cut = cutWithinTransaction(workers)
        const asked = measureTime(() => client.post('bookings', slot))
        await Promise.race([cut, asked])
        await wait(700)
        await workers.postgres.restore()
        const { answer, tookMs } = await asked
        expect(answer.status).to.equal(200)
        expect(tookMs).to.be.greaterThan(700)
        expect(await countBookings(world, slot)).to.equal(1)
      }),

    'cancels a write if workers lose Postgres for longer than the caller waits': () =>
      withProxiedWorld(environment, async ({ world, workers, client }) => {
        const slot = await createSlot(world)
        const cut = cutWithinTransaction(workers)
        const asked = client.post('bookings', slot)
        await Promise.race([cut, asked])
        expect((await asked).json.code).to.equal('not_executed')
        await workers.postgres.restore()
        const other = await createSlot(world)
        // Waits until the workers have reconnected.
        await eventually(async () => expect((await client.post('bookings', other)).status).to.equal(200))
        expect(await countBookings(world, slot)).to.equal(0)
      }),

    'leaves the outcome of a write unknown if the gateway loses Postgres after queueing the write': () =>
      withProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        gateway.redis.trap('client', 'smessage', () => 'drop')
        gateway.redis.catch('server', 'bookings.create', () => {
          gateway.postgres.cut()
          return 'forward'
        })
        const { answer, tookMs } = await measureTime(() => client.post('bookings', slot))
        expect([answer.status, answer.json.code]).to.deep.equal([504, 'outcome_unknown'])
        expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
        expect(tookMs).to.be.lessThan(promised(WRITE_WAIT_MS + REFUSED_MS_MAX))
      }),

    'leaves the outcome of a write unknown if Postgres is lost during its cancellation': () =>
      withProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
        await workers.redis.cut()
        gateway.postgres.catch('server', 'abandon-receipt', (link) => {
          link.drop()
          return 'drop'
        })
        const answer = await client.post('bookings', await createSlot(world))
        expect([answer.status, answer.json.code]).to.deep.equal([504, 'outcome_unknown'])
        expect((await client.get('groups')).status).to.equal(200)
      }),
  })
})

/** Returns a promise that settles when the workers have lost Postgres in the middle of a booking. */
function cutWithinTransaction({ postgres }: Proxies): Promise<void> {
  return new Promise((resolve) => {
    postgres.catch('server', 'insert-bookings', () => {
      postgres.cut().then(resolve)
      return 'drop'
    })
  })
}
