// Adds an index of bookings that last longer than a day. A booking that overlaps a range either begins at most a day
// before the range, where the index of starts finds it, or is in this index. So no listing has to consider bookings of
// any length.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE INDEX bookings__long_lookup ON bookings USING gist (bookable_id, during)
      WHERE upper_inf(during) OR upper(during) - lower(during) > interval '24 hours'`

export const down = sql`DROP INDEX bookings__long_lookup`
