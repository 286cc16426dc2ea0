// Tests outages of minutes: waiting clients must be served again within two seconds after the outage. The tests run
// concurrently, because they mostly wait. LONG_OUTAGE_MS shortens the outages.
import { setTimeout as wait } from 'node:timers/promises'
import { type Outage, testPostgresOutage, testRedisOutage } from '../support/faults/outages.ts'
import { itInParallel } from '../support/parallel-tests.ts'

const outageMs = Number(process.env.LONG_OUTAGE_MS ?? 300_000)
// Starts the outages further apart than a recovery takes.
const OUTAGE_INTERVAL_MS = 15_000
// Allows many requests, because the tests poll for minutes.
const environment = { RATE_LIMIT_PER_MINUTE: '1000000', WRITE_WAIT_MS: '2000' }

type OutageStart = Pick<Outage, 'begin' | 'lost'>

const CUT_OUTAGE: OutageStart = { begin: (proxy) => proxy.cut() }
const FROZEN_OUTAGE: OutageStart = { begin: (proxy) => proxy.freeze() }
const LOST_OUTAGE: OutageStart = { ...FROZEN_OUTAGE, lost: true }

const testRedis = (outage: OutageStart) =>
  testRedisOutage({ ...outage, outageMs, environment }, ['503 unavailable', '503 not_executed'])
const testPostgres = (outage: OutageStart) => testPostgresOutage({ ...outage, outageMs, environment })

const OUTAGES: Record<string, () => Promise<void>> = {
  'recovers within 2 s when Redis was down, and gives only true answers': () => testRedis(CUT_OUTAGE),
  'recovers within 2 s when Redis was frozen, and gives only true answers': () => testRedis(FROZEN_OUTAGE),
  'recovers within 2 s when Redis was silently lost, and gives only true answers': () =>
    testRedis(LOST_OUTAGE),
  'recovers within 2 s when Postgres was down, and gives only true answers': () => testPostgres(CUT_OUTAGE),
  'recovers within 2 s when Postgres was frozen, and gives only true answers': () =>
    testPostgres(FROZEN_OUTAGE),
  'recovers within 2 s when Postgres was silently lost, and gives only true answers': () =>
    testPostgres(LOST_OUTAGE),
}

describe(`an outage of ${outageMs / 1000} seconds`, function () {
  this.timeout(outageMs + 240_000)

  const tests = Object.entries(OUTAGES).map(([title, sitOut], index) => [
    title,
    async () => {
      await wait(index * OUTAGE_INTERVAL_MS)
      await sitOut()
    },
  ])
  itInParallel(Object.fromEntries(tests))
})
