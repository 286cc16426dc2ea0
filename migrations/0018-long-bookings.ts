// What overlaps a range of time has begun within a day before it, or lasts longer than a day: the index of starts finds
// the one, and this index the other, so that no listing looks for bookings of any length. Those who book for a day at most
// do not touch it.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    CREATE INDEX bookings__long_lookup ON bookings USING gist (bookable_id, during)
      WHERE upper_inf(during) OR upper(during) - lower(during) > interval '24 hours'`)

export const down = (database: Knex) => database.raw('DROP INDEX bookings__long_lookup')
