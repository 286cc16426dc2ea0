// What is free in a building, beside its occupancy: a building that is one location of BENCH_BOOKABLES, with
// BENCH_BOOKINGS in all. Whole answers, as the gateway reads them, and a page; first without rules, then with all of those that
// look at the time and the user, at each of the three places.
//
// Uses DATABASE_URL, which must be so seeded, or makes a database of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { seedCompany } from '../commands/seed/company.ts'
import { availableBookables } from '../gateway/api/queries/availability.ts'
import { occupancyOfLocation } from '../gateway/api/queries/bookables.ts'
import { findPage, type Listing } from '../gateway/http/listing.ts'
import { startPostgres } from '../local/postgres/postgres.ts'
import { connectDatabase } from '../shared/database.ts'
import { migrateUp } from '../shared/migrations.ts'
import { alternate, ms, printTable } from './measure.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const BOOKABLES = Number(process.env.BENCH_BOOKABLES ?? 5_000)
const BOOKINGS = Number(process.env.BENCH_BOOKINGS ?? 5_000_000)
const HOUR_MS = 3_600_000

const { url, stop } = process.env.DATABASE_URL
  ? { url: process.env.DATABASE_URL, stop: async () => undefined }
  : await makeDatabase()
const client = new pg.Client({ connectionString: url, options: '-c jit=off' })
try {
  await client.connect()
  await measure(client)
  await setRules(client)
  await measure(client)
} finally {
  await client.end()
  await stop()
}

async function makeDatabase() {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const settings = { shared_buffers: '1GB', max_wal_size: '8GB' }
  const postgres = await startPostgres({ directory, settings })
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  const size = { buildings: 1, locations: 1, bookables: BOOKABLES, users: 20_000, bookings: BOOKINGS }
  await seedCompany(database, { ...size, seed: 1, weeksBefore: 52, weeksAhead: 9 }, (line) =>
    console.log(line),
  )
  await database.raw('VACUUM ANALYZE')
  await database.destroy()
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

// A week that has the time which is asked for, so that they have to be looked at to the end; half of the bookables have their own.
async function setRules(client: pg.Client) {
  const hours = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }))
  const closed = [{ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z', reason: 'Moving' }]
  const rules = { opening_hours: hours, days_ahead_max: 90, minutes_min: 15, minutes_max: 20_160, closed }
  await client.query('UPDATE buildings SET rules = $1', [JSON.stringify(rules)])
  await client.query('UPDATE locations SET rules = $1', [JSON.stringify({ minutes_min: 30, closed })])
  await client.query('UPDATE bookables SET rules = $1 WHERE id % 2 = 0', [
    JSON.stringify({ opening_hours: hours, days_ahead_max: 60 }),
  ])
  await client.query('VACUUM ANALYZE')
  console.log('\nWith rules:')
}

async function measure(client: pg.Client) {
  const { rows } = await client.query(
    `SELECT (SELECT count(*) FROM bookings)::int AS bookings, (SELECT count(*) FROM bookables)::int AS bookables,
       to_char(date_trunc('week', now() AT TIME ZONE 'UTC') - interval '5 days 14 hours',
         'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS morning`,
  )
  const { bookings, bookables, morning } = rows[0]
  const at = (hours: number) => new Date(Date.parse(morning) + hours * HOUR_MS).toISOString()
  console.log(`${bookings} bookings of ${bookables} bookables; at ${at(0)}`)
  const free = (hours: number) => [1, null, null, at(0), at(hours), null, null, null]
  const all =
    (name: string, { all: text }: Listing, values: unknown[]) =>
    async () =>
      (await client.query({ name, text, values })).rows.length
  const page = { limit: 100, after: undefined }
  const works = {
    occupancy: all('occupancy', occupancyOfLocation, [1, at(0)]),
    'free for an hour': all('free', availableBookables, free(1)),
    'free for a day': all('free', availableBookables, free(24)),
    'free for a week': all('free', availableBookables, free(7 * 24)),
    'occupancy, a page of 100': () => findPage(client, occupancyOfLocation, [1, at(0)], page),
    'free for an hour, a page of 100': () => findPage(client, availableBookables, free(1), page),
  }
  const items = await countItems(works)
  const measured = await alternate(works, { rounds: ROUNDS })
  const base = (name: string) => measured[name.endsWith('100') ? 'occupancy, a page of 100' : 'occupancy']
  printTable(
    ['', 'items', 'median ms', '95 % ms', 'times'],
    Object.entries(measured).map(([name, { medianMs, p95Ms }]) => [
      name,
      items.get(name) ?? 100,
      ms(medianMs),
      ms(p95Ms),
      (medianMs / base(name).medianMs).toFixed(2),
    ]),
  )
}

async function countItems(works: Record<string, () => Promise<unknown>>): Promise<Map<string, number>> {
  const items = new Map<string, number>()
  for (const [name, work] of Object.entries(works))
    if (!name.endsWith('100')) items.set(name, Number(await work()))
  return items
}
