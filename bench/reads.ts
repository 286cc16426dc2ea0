// The cost of listings with years of bookings: one week of each listing, a location's week compared with a
// company without history, and how much the indexes for them slow down bookings.
//
// Uses DATABASE_URL, which must be seeded (and temporarily gets another schema), or creates a database with
// BENCH_BOOKINGS bookings itself.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { seedCompany } from '../commands/seed/company.ts'
import { detailedOccupancyOfLocation } from '../gateway/api/bookables/bookables-queries.ts'
import * as bookings from '../gateway/api/bookings/bookings-queries.ts'
import { eventsBetween } from '../gateway/api/events/events-queries.ts'
import { findPage, findWhole, type Listing } from '../gateway/http/listing.ts'
import { startPostgres } from '../local/postgres/postgres.ts'
import { connectDatabase } from '../shared/database/database.ts'
import { migrateUp } from '../shared/database/migrations.ts'
import { createSmall, dropSmall, SMALL, SMALL_BOOKINGS, type Week } from './history.ts'
import { alternate, ms, printTable } from './measure.ts'

const BASE = 'https://desk.example.com'
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const INSERTED = 2_000

const { url, stop } = process.env.DATABASE_URL
  ? { url: process.env.DATABASE_URL, stop: async () => undefined }
  : await makeDatabase()
try {
  const client = await connect(url, 'public')
  const week = await chooseWeek(client)
  await describe(client, week)
  await measureListings(url, week)
  await measureHistory(url, client, week)
  await measureInserts(client, week)
  await client.end()
} finally {
  await stop()
}

async function makeDatabase() {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const postgres = await startPostgres({
    directory,
    settings: { shared_buffers: '1GB', max_wal_size: '8GB' },
  })
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  const size = { buildings: 10, locations: 50, bookables: 5_000, users: 20_000 }
  const number = Number(process.env.BENCH_BOOKINGS ?? 5_000_000)
  const span = { seed: 1, weeksBefore: 52, weeksAhead: 9 }
  await seedCompany(database, { ...size, ...span, bookings: number }, (created) => console.log(created))
  await database.destroy()
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function connect(address: string, schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address, options: `-c search_path=${schema},public` })
  await client.connect()
  return client
}

/** The week before this one, of a location in the middle. */
async function chooseWeek(client: pg.Client): Promise<Week> {
  const { rows } = await client.query<Week>(
    `SELECT (SELECT id::int FROM locations ORDER BY id OFFSET (SELECT count(*) / 2 FROM locations) LIMIT 1) AS location,
       to_char(monday - interval '7 days', 'YYYY-MM-DD"T"00:00:00"Z"') AS from,
       to_char(monday, 'YYYY-MM-DD"T"00:00:00"Z"') AS to
     FROM date_trunc('week', now() AT TIME ZONE 'UTC') AS monday`,
  )
  const [week] = rows
  if (!week) throw new Error('No locations found: seed the database first')
  return week
}

async function describe(client: pg.Client, { location, from, to }: Week) {
  const { rows } = await client.query<{ all: string; week: string }>(
    `SELECT count(*) AS all, count(*) FILTER (WHERE during && tstzrange($1, $2)) AS week FROM bookings`,
    [from, to],
  )
  console.log(
    `${rows[0]?.all} bookings, ${rows[0]?.week} of them from ${from} to ${to}; location ${location}`,
  )
}

// As in the gateway: a prepared statement, which gets a generic plan after some uses.
function whole(client: pg.Client, listing: Listing, values: unknown[]) {
  return () => findWhole(client as unknown as pg.Pool, listing, values)
}

async function measureListings(address: string, { location, from, to }: Week) {
  const client = await connect(address, 'public')
  const { rows } = await client.query<{ building: number; bookable: number; user: number }>(
    `SELECT building_id::int AS building, bookables.id::int AS bookable, (SELECT min(id)::int + 77 FROM users) AS user
     FROM locations JOIN bookables ON bookables.location_id = locations.id
     WHERE locations.id = $1 ORDER BY bookables.id LIMIT 1`,
    [location],
  )
  const { building, bookable, user } = rows[0] ?? { building: 0, bookable: 0, user: 0 }
  const range = [from, to, BASE]
  const measured = await alternate(
    {
      'users/{id}/bookings': whole(client, bookings.bookingsOfUser, [user, ...range]),
      'bookables/{id}/bookings': whole(client, bookings.bookingsOfBookable, [bookable, ...range]),
      'locations/{id}/bookings': whole(client, bookings.bookingsOfLocation, [location, ...range]),
      'buildings/{id}/bookings': whole(client, bookings.bookingsOfBuilding, [building, ...range]),
      bookings: whole(client, bookings.allBookings, range),
      'bookings?limit=100': () =>
        findPage(client as unknown as pg.Pool, bookings.allBookings, range, { limit: 100, after: undefined }),
      'locations/{id}/bookables/occupancy': whole(client, detailedOccupancyOfLocation, [
        location,
        new Date().toISOString(),
      ]),
      events: whole(client, eventsBetween, [null, null, null, from, to]),
      'events?location_id': whole(client, eventsBetween, [null, location, null, from, to]),
    },
    { rounds: ROUNDS },
  )
  await client.end()
  printTable(
    ['a week of', 'median ms', '95 % ms'],
    Object.entries(measured).map(([name, { medianMs, p95Ms }]) => [name, ms(medianMs), ms(p95Ms)]),
  )
}

async function measureHistory(address: string, owner: pg.Client, week: Week) {
  await createSmall(owner, week)
  const [small, large] = [await connect(address, SMALL), await connect(address, 'public')]
  const values = [week.location, week.from, week.to, BASE]
  const measured = await alternate(
    {
      small: whole(small, bookings.bookingsOfLocation, values),
      large: whole(large, bookings.bookingsOfLocation, values),
    },
    { rounds: ROUNDS * 3 },
  )
  await Promise.all([small.end(), large.end()])
  await dropSmall(owner)
  const ratio = measured.large.medianMs / measured.small.medianMs
  printTable(
    ['the week of a location', 'median ms', 'times'],
    [
      [`with ${SMALL_BOOKINGS} bookings in all`, ms(measured.small.medianMs), '1.00'],
      ['with all of them', ms(measured.large.medianMs), ratio.toFixed(2)],
    ],
  )
}

// In a transaction that is rolled back, with and without the indexes of listings.
async function measureInserts(client: pg.Client, { location }: Week) {
  const insert = async (without: string) => {
    await client.query('BEGIN')
    if (without) await client.query(`DROP INDEX ${without}`)
    const started = performance.now()
    await client.query(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT bookable.id, (SELECT min(id) FROM users), tstzrange(start, start + interval '1 hour'), bookable.type <> 3
       FROM (SELECT id, type FROM bookables WHERE location_id = $1 ORDER BY id LIMIT 100) AS bookable,
         generate_series(1, ${INSERTED / 100}) AS day,
         LATERAL (SELECT '2099-01-01Z'::timestamptz + day * interval '1 day') AS starts (start)`,
      [location],
    )
    const insertedMs = performance.now() - started
    await client.query('ROLLBACK')
    return insertedMs
  }
  const cases = [
    '',
    'bookings__start_lookup',
    'bookings__shared_lookup',
    'bookings__start_lookup, bookings__shared_lookup',
  ]
  const times = new Map<string, number[]>(cases.map((without) => [without, []]))
  for (let round = 0; round < 15; round++)
    for (const without of cases) times.get(without)?.push(await insert(without))
  const median = (without: string) =>
    (times.get(without) ?? []).sort((a, b) => a - b)[Math.floor((times.get(without)?.length ?? 0) / 2)] ?? 0
  printTable(
    [`inserting ${INSERTED} bookings`, 'median ms', 'times'],
    cases.map((without) => [
      without ? `without ${without}` : 'with all indexes',
      ms(median(without)),
      (median(without) / median('')).toFixed(2),
    ]),
  )
}
