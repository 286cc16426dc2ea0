// What is measured of a layout: its sizes, the main reads with their buffers, new bookings, and the removal of old ones.
import { detailedOccupancyOfLocation } from '../../gateway/api/queries/bookables.ts'
import * as bookings from '../../gateway/api/queries/bookings.ts'
import { ms, printTable } from '../measure.ts'
import type { Backend, Cost } from './backend.ts'
import { FIRST_MONDAY, type Size } from './company.ts'
import type { Layout } from './layouts.ts'

const ROUNDS = 100
// A plan for good comes with the sixth use.
const WARM_UP = 8
const BATCHES = 60
const BATCH = 32
const DELETED = 1_000
const DELETIONS = 10

export async function measureSizes({ client }: Backend): Promise<void> {
  const { rows } = await client.query<{ name: string; megabytes: string; bytes: string }>(`
    WITH tables AS (
      SELECT oid AS relid FROM pg_class WHERE relkind = 'r' AND oid = 'bookings'::regclass
      UNION ALL
      SELECT relid FROM pg_partition_tree('bookings') WHERE isleaf
    ),
    number AS (SELECT count(*) AS bookings FROM bookings),
    sizes AS (
      SELECT 'heap' AS name, sum(pg_relation_size(relid)) AS size FROM tables
      UNION ALL
      SELECT pg_get_indexdef(indexrelid, 0, false), pg_relation_size(indexrelid)
      FROM tables JOIN pg_index ON indrelid = relid
    )
    SELECT regexp_replace(name, '^.*USING ', '') AS name, round(sum(size) / 1e6)::text AS megabytes,
      round(sum(size) / any_value(bookings), 1)::text AS bytes
    FROM sizes, number GROUP BY 1 ORDER BY sum(size) DESC`)
  printTable(
    ['', 'MB', 'bytes a booking'],
    rows.map((row) => [row.name, row.megabytes, row.bytes]),
  )
}

/** Of the week before this one; each prepared by its name, as the gateway asks. */
export async function measureReads(backend: Backend, size: Size): Promise<void> {
  const { client } = backend
  const { rows } = await client.query<{ from: string; to: string; id: number }>(`
    SELECT to_char(monday - interval '7 days', 'YYYY-MM-DD"T"00:00:00"Z"') AS from, to_char(monday, 'YYYY-MM-DD"T"00:00:00"Z"') AS to,
      (SELECT id FROM bookings WHERE bookable_id = ${size.bookables / 2} AND lower(during) < now() ORDER BY lower(during) DESC LIMIT 1)::int AS id
    FROM date_trunc('week', now() AT TIME ZONE 'UTC') AS monday`)
  const { from, to, id } = rows[0] ?? { from: '', to: '', id: 0 }
  const range = [from, to, 'https://desk.example.com']
  const asked: Record<string, { name: string; text: string; values: unknown[] }> = {
    'a booking by its id': { name: 'by-id', text: 'SELECT * FROM bookings WHERE id = $1', values: [id] },
    'users/{id}/bookings': { ...bookings.bookingsOfUser.whole, values: [77, ...range] },
    'bookables/{id}/bookings': { ...bookings.bookingsOfBookable.whole, values: [77, ...range] },
    'locations/{id}/bookings': { ...bookings.bookingsOfLocation.whole, values: [1, ...range] },
    'buildings/{id}/bookings': { ...bookings.bookingsOfBuilding.first, values: [1, ...range, 101] },
    'bookings?limit=100': { ...bookings.allBookings.first, values: [...range, 101] },
    occupancy: { ...detailedOccupancyOfLocation.whole, values: [1, new Date().toISOString()] },
  }
  const table: Array<Array<string | number>> = []
  for (const [name, statement] of Object.entries(asked)) {
    const plan = await explain(backend, statement.text, statement.values)
    for (let round = 0; round < WARM_UP; round++) await client.query(statement)
    const { medianMs, cpuMs } = await backend.measure(ROUNDS, () => client.query(statement))
    table.push([name, ms(medianMs), ms(cpuMs), plan.buffers, ms(plan.planningMs)])
  }
  printTable(['', 'median ms', 'CPU ms', 'buffers', 'planning ms'], table)
}

async function explain({ client }: Backend, text: string, values: unknown[]) {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, values)
  const [explained] = rows[0]['QUERY PLAN']
  const { Plan: plan, 'Planning Time': planningMs } = explained
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], planningMs: Number(planningMs) }
}

/** In batches as the workers make them, on a day that is free, of bookables all over the company. */
export async function measureInserts(backend: Backend): Promise<void> {
  await backend.client.query('CHECKPOINT')
  const cost = await backend.measure(BATCHES, (batch) =>
    backend.client.query({
      name: 'insert',
      text: `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
        SELECT id, id, tstzrange(starts_at, starts_at + interval '9 hours'), true
        FROM (SELECT 1 + ($1 * 7919 + number * 104729) % (SELECT max(id) FROM bookables) AS id FROM generate_series(1, ${BATCH}) AS number) AS bookables,
          (SELECT date_trunc('day', now()) + interval '5 days' + make_interval(weeks => 15, days => $1 % 5) AS starts_at) AS days
        ORDER BY id
        ON CONFLICT DO NOTHING`,
      values: [batch],
    }),
  )
  printCost(`${BATCH} new bookings`, cost, BATCH)
}

/** Of the first month: piece by piece, as upkeep deletes; by month also by dropping the partition. */
export async function measureRemoval(backend: Backend, layout: Layout, size: Size): Promise<void> {
  const { rows } = await backend.client.query<{ month: string; name: string }>(
    `SELECT date_trunc('month', ${FIRST_MONDAY(size)} + interval '1 month')::text AS month,
       to_char(${FIRST_MONDAY(size)}, '"bookings_"YYYY_MM') AS name`,
  )
  const { month, name } = rows[0] ?? { month: '', name: '' }
  const cost = await backend.measure(DELETIONS, () =>
    // By tableoid too: in partitions a ctid names many rows.
    backend.client.query(
      `DELETE FROM bookings WHERE (tableoid, ctid) IN (SELECT tableoid, ctid FROM bookings WHERE lower(during) < '${month}' LIMIT ${DELETED})`,
    ),
  )
  printCost(`${DELETED} deleted`, cost, DELETED)
  await backend.report('vacuumed after them', 'VACUUM bookings')
  if (layout === 'by month') await backend.report('the month dropped', `DROP TABLE ${name}`)
}

export function printCost(what: string, { medianMs, cpuMs, walBytes }: Cost, rows: number): void {
  printTable(
    [what, 'median ms', 'CPU ms', 'WAL bytes a row'],
    [['', ms(medianMs), ms(cpuMs), (walBytes / rows).toFixed(0)]],
  )
}
