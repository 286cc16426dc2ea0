// A copy of the company with hardly any history, for comparison: a schema with the same users, places and one
// location's week of bookings, but only 50,000 bookings in all.
import type pg from 'pg'

export const SMALL = 'berth_bench_small'
export const SMALL_BOOKINGS = 50_000

const UNCHANGED = ['buildings', 'locations', 'bookables', 'users', 'events', 'event_attendees']

export type Week = { location: number; from: string; to: string }

export async function createSmall(client: pg.Client, { location, from, to }: Week): Promise<void> {
  await dropSmall(client)
  await client.query(`CREATE SCHEMA ${SMALL}`)
  for (const table of [...UNCHANGED, 'bookings'])
    await client.query(`CREATE TABLE ${SMALL}.${table} (LIKE public.${table} INCLUDING ALL)`)
  for (const table of UNCHANGED)
    await client.query(`INSERT INTO ${SMALL}.${table} OVERRIDING SYSTEM VALUE SELECT * FROM public.${table}`)
  await client.query(
    `INSERT INTO ${SMALL}.bookings OVERRIDING SYSTEM VALUE
     WITH week AS (
       SELECT bookings.* FROM public.bookings JOIN public.bookables ON bookables.id = bookings.bookable_id
       WHERE bookables.location_id = $1 AND during && tstzrange($2, $3)
     ), others AS (
       SELECT * FROM public.bookings TABLESAMPLE SYSTEM (5) REPEATABLE (1)
       WHERE id NOT IN (SELECT id FROM week) LIMIT ${SMALL_BOOKINGS}
     )
     SELECT * FROM (TABLE week UNION ALL TABLE others) AS all_of_them LIMIT ${SMALL_BOOKINGS}`,
    [location, from, to],
  )
  for (const table of [...UNCHANGED, 'bookings']) await client.query(`VACUUM ANALYZE ${SMALL}.${table}`)
}

export async function dropSmall(client: pg.Client): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${SMALL} CASCADE`)
}
