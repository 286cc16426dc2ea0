// A booking that overlaps a range either begins within a day before it, or lasts longer than a day. The index
// of starts finds the first kind, this index the second, so that no listing has to allow for bookings of any
// length. Bookings of at most a day are not in it.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE INDEX bookings__long_lookup ON bookings USING gist (bookable_id, during)
      WHERE upper_inf(during) OR upper(during) - lower(during) > interval '24 hours'`

export const down = sql`DROP INDEX bookings__long_lookup`
