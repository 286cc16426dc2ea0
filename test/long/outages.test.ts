// Outages of minutes: what has waited all that time must be back within two seconds too. LONG_OUTAGE_MS makes them
// shorter, for trying.
import { sitOutPostgres, sitOutRedis } from '../support/faults/outages.ts'

const outageMs = Number(process.env.LONG_OUTAGE_MS ?? 300_000)
// Asked all the time, for minutes.
const environment = { RATE_LIMIT_PER_MINUTE: '1000000', WRITE_WAIT_MS: '2000' }

describe(`an outage of ${outageMs / 1000} seconds`, function () {
  this.timeout(outageMs + 60_000)

  it('of Redis, gone: reads go on, writes are refused, and all is well within 2 s of its return', () =>
    sitOutRedis({ begin: (redis) => redis.cut(), outageMs, environment }, ['503 unavailable']))

  it('of Redis, frozen: reads go on, writes are refused, and all is well within 2 s of its return', () =>
    sitOutRedis({ begin: (redis) => redis.freeze(), outageMs, environment }, [
      '503 unavailable',
      '503 not_executed',
    ]))

  it('of Postgres, gone: all is refused, and well within 2 s of its return', () =>
    sitOutPostgres({ begin: (postgres) => postgres.cut(), outageMs, environment }))

  it('of Postgres, frozen: all is refused, and well within 2 s of its return', () =>
    sitOutPostgres({ begin: (postgres) => postgres.freeze(), outageMs, environment }))
})
