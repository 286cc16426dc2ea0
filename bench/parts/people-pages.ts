// Measures people's own pages in a company of 5,000 people: 200 signed-in people load My day, Book and People in turn.
import type { Knex } from 'knex'
import { createSecret, hashSecret } from '../../gateway/web/sessions/secrets.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { writeUserTexts } from '../../workers/pollers/user-texts.ts'
import type { LoadRequest } from '../load/work.ts'
import type { RunLength, Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { createDatabase, getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { compareScenarios, OLDER_CHECKOUT_NAME } from './comparison.ts'
import type { Scenario } from './scenarios.ts'

const REDIS_NUMBERS = { own: 13, before: 14 }
const COMPANY_SIZE = { buildings: 4, locations: 20, bookables: 3_000, users: 5_000 }
const BOOKING_COUNT = 300_000
const COMPANY_WEEKS = { weeksBefore: 9, weeksAhead: 4 }
// The number of signed-in people. One person alone may load only `PAGE_LIMIT_PER_MINUTE` pages a minute, and two pages
// at once.
const SIGNED_IN_COUNT = 200

const PAGE_PATHS = { 'My day': '/my', Book: '/my/book', People: '/my/people' }
const CALLER_COUNT = 8
const GOALS = { p50Ms: 30, perSecond: 80 }

type PeoplePagesStage = { target: Target; cookies: string[] }

/** `before` is an older checkout of Berth to compare with. */
export async function measurePeoplePages(
  runner: Runner,
  servers: Servers,
  lengths: RunLength,
  before: string | undefined,
): Promise<void> {
  const stages: PeoplePagesStage[] = []
  try {
    stages.push(await startStage(servers, 'a company', REDIS_NUMBERS.own))
    if (before) stages.push(await startStage(servers, OLDER_CHECKOUT_NAME, REDIS_NUMBERS.before, before))
    const cookiesOf = new Map(stages.map(({ target, cookies }) => [target, cookies]))
    const scenarios = Object.entries(PAGE_PATHS).flatMap(([name, path]) => {
      const requests = (target: Target) =>
        (cookiesOf.get(target) ?? []).map((cookie) => createPageRequest(path, cookie))
      return [
        createScenario(
          `${name} of ${SIGNED_IN_COUNT} people, one at a time`,
          1,
          { p50Ms: GOALS.p50Ms },
          requests,
        ),
        createScenario(
          `${name}, ${CALLER_COUNT} at a time`,
          CALLER_COUNT,
          { perSecond: GOALS.perSecond },
          requests,
        ),
      ]
    })
    const [own, ...others] = stages.map(({ target }) => target)
    if (own) await compareScenarios(runner, scenarios, own, others, lengths)
  } finally {
    for (const { target } of stages) await target.stop()
  }
}

const createScenario = (
  name: string,
  connections: number,
  goals: Scenario['goals'],
  requests: Scenario['requests'],
): Scenario => ({ name, connections, rivals: [], goals, requests })

const createPageRequest = (path: string, cookie: string): LoadRequest => ({
  method: 'GET',
  path,
  headers: { Cookie: `berth_session=${cookie}`, Accept: 'text/html' },
})

async function startStage(
  servers: Servers,
  name: string,
  redisNumber: number,
  checkout?: string,
): Promise<PeoplePagesStage> {
  const databaseUrl = await createDatabase(servers, `berth_people_${redisNumber}`, {
    ...(checkout && { checkout }),
  })
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  await database.raw('SET statement_timeout = 0')
  const company = await fillDatabase(database)
  const cookies = await createSessions(database)
  await database.raw('VACUUM ANALYZE')
  await database.destroy()
  const target = await startBerth({
    servers,
    company,
    databaseUrl,
    name,
    checkout,
    redisUrl: getRedisUrl(servers, redisNumber),
    environment: { PEOPLE_PAGES: 'on' },
    workers: 0,
  })
  return { target: { ...target, headers: {} }, cookies }
}

async function fillDatabase(database: Knex): Promise<Company> {
  const company = await createCompany(database, BOOKING_COUNT, COMPANY_SIZE, COMPANY_WEEKS)
  await writeUserTexts(database, createLog('bench', 'silent'))
  // Gives today as many bookings as a weekday, because the company has no bookings at weekends, and pages show the most
  // when many people are in.
  await database.raw(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
     SELECT DISTINCT ON (bookable_id) bookable_id, user_id, tstzrange(day + interval '30 minutes', day + interval '23 hours'), exclusive
     FROM bookings, (SELECT date_trunc('day', now()) AS day) AS today
     WHERE user_id IS NOT NULL AND during && tstzrange(day + interval '7 days', day + interval '10 days')
     ORDER BY bookable_id ON CONFLICT DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO favourite_colleagues (user_id, colleague_id)
     SELECT users.id, colleagues.id FROM users JOIN users AS colleagues
     ON colleagues.id % 997 = users.id % 997 AND colleagues.id <> users.id`,
  )
  await database.raw(
    `INSERT INTO person_settings (user_id, visibility)
     SELECT id, CASE WHEN id % 2 = 0 THEN 'groups' ELSE 'nobody' END FROM users WHERE id % 10 = 3`,
  )
  return company
}

/** Creates sessions for the people, and returns the secrets of these sessions. */
async function createSessions(database: Knex): Promise<string[]> {
  const people: Array<{ id: number }> = await database('users')
    .select('id')
    .whereNull('deactivated_at')
    .whereIn('id', database('group_members').select('user_id'))
    .orderByRaw('md5(id::text)')
    .limit(SIGNED_IN_COUNT)
  const begun = people.map(({ id }) => ({ id, secret: createSecret() }))
  await database('person_sessions').insert(
    begun.map(({ id, secret }) => ({
      hash: hashSecret(secret),
      user_id: id,
      address: '::1',
      user_agent: 'bench',
      expires_at: database.raw("now() + interval '1 day'"),
    })),
  )
  return begun.map(({ secret }) => secret)
}
