// Adds indexes for listings. Listings of a week find claims by bookable and time. For exclusive claims they
// use the index of the constraint, and for home offices a new index, so that no listing reads years of
// bookings to find one week. The listing of all bookings is read page by page in the order of starts.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE INDEX bookings__shared_lookup ON bookings USING gist (bookable_id, during) WHERE NOT exclusive;
    CREATE INDEX bookings__start_lookup ON bookings (lower(during), id) WHERE user_id IS NOT NULL;
  `

export const down = sql`DROP INDEX bookings__start_lookup, bookings__shared_lookup`
