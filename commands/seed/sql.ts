// SQL that all steps of a seeding use. Random numbers are hashes of a row's number, so that one seed always gives
// the same data, whatever plan Postgres chooses and in whatever order it visits rows, unlike setseed() and random().
import type { Knex } from 'knex'
import pg from 'pg'

export async function createDraw(database: Knex, seed: number): Promise<void> {
  await database.raw(
    `CREATE OR REPLACE FUNCTION pg_temp.seed_draw(number bigint, purpose text, size bigint) RETURNS bigint
     IMMUTABLE LANGUAGE sql AS 'SELECT
       (hashint8extended(number, hashtextextended(purpose, ${seed})) & 9223372036854775807) % size'`,
  )
}

/** A whole number from 0 up to, but not including, `limit`; `row` is SQL that differs between rows. */
export const draw = (row: string, purpose: string, limit: number | string) =>
  `pg_temp.seed_draw(${row}, '${purpose}', ${limit})`

/** An element of a constant list, by an SQL expression for its zero-based index. */
export const pick = (list: readonly string[], index: string) => `(${textArray(list)})[1 + ${index}]`

export const drawFrom = (list: readonly string[], row: string, purpose: string) =>
  pick(list, draw(row, purpose, list.length))

// For constants of this folder only; external values must be bound.
export const textArray = (list: readonly string[]) =>
  `ARRAY[${list.map((text) => pg.escapeLiteral(text)).join(', ')}]::text[]`

/** An instant in the local time of `timezone`; 0 is the present week, and its Monday. */
export const instant = (week: number | string, day: string, minuteOfDay: string) =>
  `(date_trunc('week', current_date::timestamp)
    + make_interval(days => (7 * (${week}) + ${day})::int, mins => (${minuteOfDay})::int)) AT TIME ZONE timezone`

/**
 * Inserts what `rows` selects, in this order, and keeps it in a temporary table (`seed_users` of `users`), from which
 * later steps draw; so existing data is never touched. Returns how many rows there are.
 */
export async function insertRows(
  database: Knex,
  table: string,
  columns: string,
  rows: string,
): Promise<number> {
  await database.raw(
    `CREATE TEMP TABLE seed_${table} ON COMMIT DROP AS
     SELECT *, nextval(pg_get_serial_sequence('${table}', 'id')) AS id FROM (${rows}) AS rows`,
  )
  await database.raw(`ANALYZE seed_${table}`)
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `INSERT INTO ${table} (id, ${columns}) OVERRIDING SYSTEM VALUE SELECT id, ${columns} FROM seed_${table}`,
  )
  return rowCount
}
