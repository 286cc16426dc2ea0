// Postgres is down: everything that needs it is refused soon, every reply is true, and Berth recovers by
// itself.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAnswers, Observer } from '../support/faults/observer.ts'
import { RECOVERY_MS, REFUSED_MS, sitOutPostgres, USUAL_MS } from '../support/faults/outages.ts'
import { countBookings, createSlot, inProxiedWorld, type Proxies } from '../support/faults/pipeline.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { eventually, isLong, promised, timed } from '../support/time.ts'

const outageMs = 3_000
// How long a worker waits for a reply of Postgres.
const SOCKET_IDLE_TIMEOUT_MS = 5_000
// How long a write that was queued just before waits for Postgres to come back.
const WRITE_WAIT_MS = 2_000
const environment = { WRITE_WAIT_MS: String(WRITE_WAIT_MS) }

describe('an outage of Postgres', () => {
  itInParallel({
    'in which it is gone refuses requests within 2.5 s, and ends within 2 s of its return': () =>
      sitOutPostgres({ begin: (postgres) => postgres.cut(), outageMs, environment }),

    'in which it is frozen refuses requests within 2.5 s, and ends within 2 s of its return': () =>
      sitOutPostgres({ begin: (postgres) => postgres.freeze(), outageMs, environment }),

    'with silent old connections ends within seconds, when these are closed': () =>
      inProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
        const observer = await Observer.start(world, client)
        await observer.recovery('write', 0)
        const sides = [gateway.postgres, workers.postgres]
        for (const side of sides) side.freeze()
        await wait(500)
        await Promise.all(sides.map((side) => side.restore({ lost: true })))
        const overMs = Date.now()
        const limits = { read: promised(REFUSED_MS), write: promised(SOCKET_IDLE_TIMEOUT_MS + RECOVERY_MS) }
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
    'of a moment, in which all connections are ended, delays requests for a moment only': () =>
      inProxiedWorld(environment, async ({ world, client }) => {
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
          expectAnswers(observer.samples(kind, settledMs), { statuses: ['200'], ms: USUAL_MS })
        await observer.expectTruth()
      }),

    'for workers only delays a running job, which is done if Postgres returns in time': () =>
      inProxiedWorld({}, async ({ world, workers, client }) => {
        const slot = await createSlot(world)
        const cut = cutWithinTransaction(workers)
        const asked = timed(() => client.post('bookings', slot))
        await Promise.race([cut, asked])
        await wait(700)
        await workers.postgres.restore()
        const { answer, tookMs } = await asked
        expect(answer.status).to.equal(200)
        expect(tookMs).to.be.greaterThan(700)
        expect(await countBookings(world, slot)).to.equal(1)
      }),

    'for workers only, longer than the caller waits, calls off the write, which does not happen': () =>
      inProxiedWorld(environment, async ({ world, workers, client }) => {
        const slot = await createSlot(world)
        const cut = cutWithinTransaction(workers)
        const asked = client.post('bookings', slot)
        await Promise.race([cut, asked])
        expect((await asked).json.code).to.equal('not_executed')
        await workers.postgres.restore()
        const other = await createSlot(world)
        // Waits until they have reconnected.
        await eventually(async () => expect((await client.post('bookings', other)).status).to.equal(200))
        expect(await countBookings(world, slot)).to.equal(0)
      }),

    'for the gateway, after a write was queued, makes its outcome unknown, which the answer says': () =>
      inProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        gateway.redis.trap('client', 'smessage', () => 'drop')
        gateway.redis.catch('server', 'bookings.create', () => {
          gateway.postgres.cut()
          return 'forward'
        })
        const { answer, tookMs } = await timed(() => client.post('bookings', slot))
        expect([answer.status, answer.json.code]).to.deep.equal([504, 'outcome_unknown'])
        expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
        expect(tookMs).to.be.lessThan(promised(WRITE_WAIT_MS + REFUSED_MS))
      }),

    'for the gateway, while it calls off a write, makes the outcome unknown, and the process continues': () =>
      inProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
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

/** Settles when the workers have lost Postgres in the middle of a booking. */
function cutWithinTransaction({ postgres }: Proxies): Promise<void> {
  return new Promise((resolve) => {
    postgres.catch('server', 'insert-bookings', () => {
      postgres.cut().then(resolve)
      return 'drop'
    })
  })
}
