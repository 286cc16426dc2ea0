// Outages of minutes: what has waited all that time must be back within two seconds too. They begin one after the other
// and last at the same time, as nobody does anything in them but wait. LONG_OUTAGE_MS makes them shorter, for trying.
import { setTimeout as wait } from 'node:timers/promises'
import { type Outage, sitOutPostgres, sitOutRedis } from '../support/faults/outages.ts'
import { itInParallel } from '../support/parallel-tests.ts'

const outageMs = Number(process.env.LONG_OUTAGE_MS ?? 300_000)
// Longer than it takes until one is over and all is well again.
const APART_MS = 15_000
// Asked all the time, for minutes.
const environment = { RATE_LIMIT_PER_MINUTE: '1000000', WRITE_WAIT_MS: '2000' }

type Begin = Pick<Outage, 'begin' | 'lost'>

const GONE: Begin = { begin: (proxy) => proxy.cut() }
const FROZEN: Begin = { begin: (proxy) => proxy.freeze() }
const LOST: Begin = { ...FROZEN, lost: true }

const redis = (outage: Begin) =>
  sitOutRedis({ ...outage, outageMs, environment }, ['503 unavailable', '503 not_executed'])
const postgres = (outage: Begin) => sitOutPostgres({ ...outage, outageMs, environment })

const OUTAGES: Record<string, () => Promise<void>> = {
  'in which Redis is gone is over within 2 s of its end, and every answer is true': () => redis(GONE),
  'in which Redis is frozen is over within 2 s of its end, and every answer is true': () => redis(FROZEN),
  'in which Redis is silently lost is over within 2 s of its end, and every answer is true': () =>
    redis(LOST),
  'in which Postgres is gone is over within 2 s of its end, and every answer is true': () => postgres(GONE),
  'in which Postgres is frozen is over within 2 s of its end, and every answer is true': () =>
    postgres(FROZEN),
  'in which Postgres is silently lost is over within 2 s of its end, and every answer is true': () =>
    postgres(LOST),
}

describe(`an outage of ${outageMs / 1000} seconds`, function () {
  this.timeout(outageMs + 240_000)

  const tests = Object.entries(OUTAGES).map(([title, sitOut], index) => [
    title,
    async () => {
      await wait(index * APART_MS)
      await sitOut()
    },
  ])
  itInParallel(Object.fromEntries(tests))
})
