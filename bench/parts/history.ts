// Measures reads among five million bookings, and compares them with reads among the bookings of the other parts. Each
// week has the same number of bookings in both.
import { connectDatabase } from '../../shared/database/database.ts'
import type { RunLength, Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { createDatabase, getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { compareScenarios } from './comparison.ts'
import { OCCUPANCY_SCENARIO, type Scenario, WEEK_SCENARIO } from './scenarios.ts'

const REDIS_NUMBER = 11
// The approximate number of seeded bookings to copy. Those in the future are not copied.
const SEEDED_BOOKING_COUNT = 460_000
const COPY_COUNT = 10
// The distance in time between two copies, which is longer than the period of the seeded bookings.
const COPY_INTERVAL = "interval '60 weeks'"

export async function compareHistory(
  runner: Runner,
  servers: Servers,
  berth: Target,
  lengths: RunLength,
): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_history')
  const company = await fillDatabase(databaseUrl)
  const grown = await startBerth({
    servers,
    company,
    databaseUrl,
    name: 'five million bookings',
    redisUrl: getRedisUrl(servers, REDIS_NUMBER),
    // Runs no worker: reads need none, and its upkeep would be busy computing ten years of daily figures.
    workers: 0,
  })
  const among = (scenario: Scenario): Scenario => ({
    ...scenario,
    name: `among five million bookings: ${scenario.name}`,
    rivals: [berth.name],
    goals: {},
  })
  try {
    const scenarios = [
      { ...among(OCCUPANCY_SCENARIO), goals: { p50: { [berth.name]: 1.1 }, cpu: { [berth.name]: 1.1 } } },
      among(WEEK_SCENARIO),
    ]
    await compareScenarios(runner, scenarios, grown, [berth], lengths)
  } finally {
    await grown.stop()
  }
}

// Seeding all bookings would take five minutes. Copying takes two, without the triggers, which also check foreign keys.
async function fillDatabase(databaseUrl: string): Promise<Company> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const company = await createCompany(database, SEEDED_BOOKING_COUNT)
  await database.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0')
    await trx.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT bookable_id, user_id, tstzrange(lower(during) - copy * ${COPY_INTERVAL}, upper(during) - copy * ${COPY_INTERVAL}), exclusive
       FROM generate_series(1, ${COPY_COUNT}) AS copy, bookings
       WHERE user_id IS NOT NULL AND upper(during) < now()`,
    )
  })
  await database.raw('SET statement_timeout = 0')
  await database.raw('VACUUM (ANALYZE) bookings')
  await database.destroy()
  return company
}
