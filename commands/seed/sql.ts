// SQL that all seeding steps use. Random numbers are hashes of a row's number, so that one seed always gives the same
// data, whichever plan Postgres chooses and whatever order it visits the rows in. setseed() and random() cannot
// guarantee that.
import type { Knex } from 'knex'
import pg from 'pg'

export async function createRandomNumberFunction(database: Knex, seed: number): Promise<void> {
  await database.raw(
    `CREATE OR REPLACE FUNCTION pg_temp.seed_draw(number bigint, purpose text, size bigint) RETURNS bigint
     IMMUTABLE LANGUAGE sql AS 'SELECT
       (hashint8extended(number, hashtextextended(purpose, ${seed})) & 9223372036854775807) % size'`,
  )
}

/** SQL for a random whole number from 0 up to, but not including, `limit`. `row` is SQL for a value that
 * differs between rows. */
export const randomNumberSql = (row: string, purpose: string, limit: number | string) =>
  `pg_temp.seed_draw(${row}, '${purpose}', ${limit})`

/** SQL for an element of a constant list. `index` is SQL for the zero-based index. */
export const listElementSql = (list: readonly string[], index: string) =>
  `(${textArraySql(list)})[1 + ${index}]`

export const randomElementSql = (list: readonly string[], row: string, purpose: string) =>
  listElementSql(list, randomNumberSql(row, purpose, list.length))

// SQL for a list of texts. Use it only for constants of this folder; external values must be bound.
export const textArraySql = (list: readonly string[]) =>
  `ARRAY[${list.map((text) => pg.escapeLiteral(text)).join(', ')}]::text[]`

/** SQL for an instant in the local time of `timezone`. Week 0 is the current week, and day 0 is Monday. */
export const localInstantSql = (week: number | string, day: string, minuteOfDay: string) =>
  `(date_trunc('week', current_date::timestamp)
    + make_interval(days => (7 * (${week}) + ${day})::int, mins => (${minuteOfDay})::int)) AT TIME ZONE timezone`

/**
 * Inserts the rows that `rows` selects, in this order, and keeps them in a temporary table (`seed_users` for `users`).
 * Later steps draw from that table, so they never touch existing data. Returns the number of rows.
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
