// What is to be released, the earliest first: only claims that ask for check-in are in this index, until they have it.
import type { Knex } from 'knex'

export const config = { transaction: false }

export async function up(database: Knex): Promise<void> {
  // What a try that died has left.
  await database.raw('DROP INDEX CONCURRENTLY IF EXISTS bookings__check_in_lookup')
  await database.raw(`
    CREATE INDEX CONCURRENTLY bookings__check_in_lookup ON bookings (check_in_until)
      WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL`)
}

export async function down(database: Knex): Promise<void> {
  await database.raw('DROP INDEX CONCURRENTLY IF EXISTS bookings__check_in_lookup')
}
