// Reads among five million bookings, compared with those among the bookings of the other parts. Each week has the same
// number of bookings.
import { connectDatabase } from '../../shared/database/database.ts'
import type { Lengths, Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { createDatabase, redisUrlOf, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { compare } from './comparison.ts'
import { OCCUPANCY, type Scenario, WEEK } from './scenarios.ts'

const REDIS_NUMBER = 11
// Some of them are in the future, and not copied.
const SEEDED = 460_000
const COPIES = 10
// Longer than the time that the seeded ones fill.
const APART = "interval '60 weeks'"

export async function compareHistory(
  runner: Runner,
  servers: Servers,
  berth: Target,
  lengths: Lengths,
): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_history')
  const company = await fill(databaseUrl)
  const grown = await startBerth({
    servers,
    company,
    databaseUrl,
    name: 'five million bookings',
    redisUrl: redisUrlOf(servers, REDIS_NUMBER),
    // Reads need none, and upkeep would be busy with ten years of daily figures.
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
      { ...among(OCCUPANCY), goals: { p50: { [berth.name]: 1.1 }, cpu: { [berth.name]: 1.1 } } },
      among(WEEK),
    ]
    await compare(runner, scenarios, grown, [berth], lengths)
  } finally {
    await grown.stop()
  }
}

// Seeding all of them would take five minutes. Without triggers, which also check foreign keys, copies take two.
async function fill(databaseUrl: string): Promise<Company> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const company = await createCompany(database, SEEDED)
  await database.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0')
    await trx.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT bookable_id, user_id, tstzrange(lower(during) - copy * ${APART}, upper(during) - copy * ${APART}), exclusive
       FROM generate_series(1, ${COPIES}) AS copy, bookings
       WHERE user_id IS NOT NULL AND upper(during) < now()`,
    )
  })
  await database.raw('SET statement_timeout = 0')
  await database.raw('VACUUM (ANALYZE) bookings')
  await database.destroy()
  return company
}
