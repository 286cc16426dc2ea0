// What became of the bookings of one person, for their history.
import type { Knex } from 'knex'

// The log may be long: nobody waits while it is read.
export const config = { transaction: false }

const NAME = 'audit_log__user_lookup'

export async function up(database: Knex): Promise<void> {
  // Of a try that was interrupted.
  await database.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`)
  await database.raw(`
    CREATE INDEX CONCURRENTLY ${NAME} ON audit_log ((coalesce(after, before) ->> 'user_id'), at, id)
    WHERE resource = 'bookings'`)
}

export const down = (database: Knex) => database.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`)
