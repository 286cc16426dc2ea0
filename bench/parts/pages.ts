// Measures dashboard pages and searches in a large company. Requests are sent one at a time, so the median is the time
// that the servers take for one.
import { connectDatabase } from '../../shared/database/database.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { createSignedIn } from '../../test/support/dashboard/dashboard.ts'
import { writeUserTexts } from '../../workers/pollers/user-texts.ts'
import type { RunLength, Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { fillFiveYears } from '../stage/five-years.ts'
import { createDatabase, getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth } from '../stage/targets.ts'
import { compareScenarios } from './comparison.ts'
import { getRequests, type Scenario } from './scenarios.ts'

const REDIS_NUMBER = 12
const [BOOKABLES, USERS, BOOKINGS] = [1_000, 200_000, 5_000]
const GOAL_MS = { map: 30, report: 50, search: 20 }
const DAY_MS = 86_400_000

const SEARCH_TERMS = { 'one person': 'olsen+anna', 'many people': 'an', nobody: 'qqzzx' }

export async function measurePages(runner: Runner, servers: Servers, lengths: RunLength): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_pages')
  const { company, location } = await fillDatabase(databaseUrl)
  const berth = await startBerth({
    servers,
    company,
    databaseUrl,
    name: 'a large company',
    redisUrl: getRedisUrl(servers, REDIS_NUMBER),
    // Runs no worker, whose upkeep would compute missing figures meanwhile.
    workers: 0,
  })
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  try {
    const { cookies } = await createSignedIn({ url: berth.url, database })
    const headers = { Cookie: [...cookies].map((each) => each.join('=')).join('; '), Accept: 'text/html' }
    const scenarios = [
      createPageScenario(`map of ${BOOKABLES} bookables`, GOAL_MS.map, `/dashboard/map?location=${location}`),
      ...Object.entries(createDateRanges()).map(([name, range]) =>
        createPageScenario(`report, ${name}`, GOAL_MS.report, `/dashboard/reports?${range}`),
      ),
    ]
    const searches = Object.entries(SEARCH_TERMS).map(([name, words]) =>
      createPageScenario(
        `search for ${name} of ${USERS}`,
        GOAL_MS.search,
        `/api/v1/users?limit=25&search=${words}`,
      ),
    )
    await compareScenarios(runner, scenarios, { ...berth, headers }, [], lengths)
    await compareScenarios(runner, searches, berth, [], lengths)
  } finally {
    await database.destroy()
    await berth.stop()
  }
}

const createPageScenario = (name: string, p50Ms: number, path: string): Scenario => ({
  name,
  connections: 1,
  rivals: [],
  goals: { p50Ms },
  requests: () => getRequests([path]),
  withWrk: true,
})

async function fillDatabase(databaseUrl: string): Promise<{ company: Company; location: number }> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  await database.raw('SET statement_timeout = 0')
  await fillFiveYears(database, {
    first: getTimeDaysAgo(5 * 365),
    last: getTimeDaysAgo(1),
    known: getTimeDaysAgo(1),
  })
  const size = { buildings: 1, locations: 1, bookables: BOOKABLES, users: USERS }
  const company = await createCompany(database, BOOKINGS, size)
  // Writes the search texts of users, which upkeep normally does within a minute.
  await writeUserTexts(database, createLog('bench', 'silent'))
  await database.raw('ANALYZE user_texts')
  const [added] = await database('figured_locations')
    .insert(
      database('locations')
        .join('buildings', 'buildings.id', 'locations.building_id')
        .select(
          'locations.id AS location_id',
          'buildings.timezone',
          database.raw('?::date AS last_day', [getTimeDaysAgo(1)]),
        )
        .orderBy('locations.id', 'desc')
        .limit(1),
    )
    .returning('location_id')
  await database.destroy()
  return { company, location: Number(added.location_id) }
}

const getTimeDaysAgo = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Returns date ranges by name. The last one is the slowest: it begins and ends within a month. */
function createDateRanges(): Record<string, string> {
  const year = new Date().getUTCFullYear()
  return {
    'last quarter': 'range=last-quarter',
    'last year': 'range=last-year',
    'four years from the middle of a month to another': `from=${year - 4}-01-16&to=${year - 1}-12-15`,
  }
}
