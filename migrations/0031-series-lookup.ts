// The bookings of a series. Most bookings are of none, and are not in it.
import type { Knex } from 'knex'

export const config = { transaction: false }

export async function up(database: Knex) {
  await database.raw('DROP INDEX CONCURRENTLY IF EXISTS bookings__series_lookup')
  await database.raw(`
    CREATE INDEX CONCURRENTLY bookings__series_lookup ON bookings (series_id, lower(during))
    WHERE series_id IS NOT NULL`)
}

export const down = (database: Knex) => database.raw('DROP INDEX bookings__series_lookup')
