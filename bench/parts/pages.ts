// Pages of the dashboard and searches in a large company, sent one at a time: so the median is the time of the servers.
import { connectDatabase } from '../../shared/database/database.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { createSignedIn } from '../../test/support/dashboard/dashboard.ts'
import { writeUserTexts } from '../../workers/pollers/user-texts.ts'
import type { Lengths, Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { fillFiveYears } from '../stage/five-years.ts'
import { createDatabase, redisUrlOf, type Servers } from '../stage/servers.ts'
import { startBerth } from '../stage/targets.ts'
import { compare } from './comparison.ts'
import { gets, type Scenario } from './scenarios.ts'

const REDIS_NUMBER = 12
const [BOOKABLES, USERS, BOOKINGS] = [1_000, 200_000, 5_000]
const GOAL_MS = { map: 30, report: 50, search: 20 }
const DAY_MS = 86_400_000

const SEARCHES = { 'one person': 'olsen+anna', 'many people': 'an', nobody: 'qqzzx' }

export async function measurePages(runner: Runner, servers: Servers, lengths: Lengths): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_pages')
  const { company, location } = await fill(databaseUrl)
  const berth = await startBerth({
    servers,
    company,
    databaseUrl,
    name: 'a large company',
    redisUrl: redisUrlOf(servers, REDIS_NUMBER),
    // Upkeep would look for figures that are missing.
    workers: 0,
  })
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  try {
    const { cookies } = await createSignedIn({ url: berth.url, database })
    const headers = { Cookie: [...cookies].map((each) => each.join('=')).join('; '), Accept: 'text/html' }
    const scenarios = [
      page(`map of ${BOOKABLES} bookables`, GOAL_MS.map, `/dashboard/map?location=${location}`),
      ...Object.entries(ranges()).map(([name, range]) =>
        page(`report, ${name}`, GOAL_MS.report, `/dashboard/reports?${range}`),
      ),
    ]
    const searches = Object.entries(SEARCHES).map(([name, words]) =>
      page(`search for ${name} of ${USERS}`, GOAL_MS.search, `/api/v1/users?limit=25&search=${words}`),
    )
    await compare(runner, scenarios, { ...berth, headers }, [], lengths)
    await compare(runner, searches, berth, [], lengths)
  } finally {
    await database.destroy()
    await berth.stop()
  }
}

const page = (name: string, p50Ms: number, path: string): Scenario => ({
  name,
  connections: 1,
  rivals: [],
  goals: { p50Ms },
  requests: () => gets([path]),
  withWrk: true,
})

async function fill(databaseUrl: string): Promise<{ company: Company; location: number }> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  await database.raw('SET statement_timeout = 0')
  await fillFiveYears(database, { first: dayAgo(5 * 365), last: dayAgo(1), known: dayAgo(1) })
  const size = { buildings: 1, locations: 1, bookables: BOOKABLES, users: USERS }
  const company = await createCompany(database, BOOKINGS, size)
  // Does what upkeep does within a minute.
  await writeUserTexts(database, createLog('bench', 'silent'))
  await database.raw('ANALYZE user_texts')
  const [added] = await database('figured_locations')
    .insert(
      database('locations')
        .join('buildings', 'buildings.id', 'locations.building_id')
        .select(
          'locations.id AS location_id',
          'buildings.timezone',
          database.raw('?::date AS last_day', [dayAgo(1)]),
        )
        .orderBy('locations.id', 'desc')
        .limit(1),
    )
    .returning('location_id')
  await database.destroy()
  return { company, location: Number(added.location_id) }
}

const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** The last one is the slowest: it begins and ends within a month. */
function ranges(): Record<string, string> {
  const year = new Date().getUTCFullYear()
  return {
    'last quarter': 'range=last-quarter',
    'last year': 'range=last-year',
    'four years from the middle of a month to another': `from=${year - 4}-01-16&to=${year - 1}-12-15`,
  }
}
