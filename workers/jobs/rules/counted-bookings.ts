// Counts a user's other bookings, for the rules that need it. The write holds the user's lock until the end of
// the transaction, so that two simultaneous bookings see each other.
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/context.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { zoneOf } from '../claims/locks.ts'
import type { RuleFacts } from '../claims/rule-facts.ts'

export type Counted = {
  userId: number
  facts: RuleFacts
  span: OpenTimeRange
  now: string
  /** A guest's booking occupies a place, but not the user's own time. */
  isForGuest: boolean
  /** The booking that is changed: it neither conflicts with itself nor adds to the count. */
  bookingId?: number
  /** For a limited token, the user's bookings elsewhere are not named. */
  buildingIds: WriteContext['buildingIds']
  /** The booking moves to a place where it was not counted, so it adds one there. */
  isAdded?: boolean
}

/** In the order of their ids; after all other locks except those of claims (docs/decisions/0005). */
export async function lockUserBookings(connection: Connection, userIds: number[]): Promise<void> {
  await connection.query({
    name: 'lock-user-bookings',
    text: `SELECT pg_advisory_xact_lock(hashtextextended('bookings of user ' || id, 2))
           FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) AS id ORDER BY id) AS in_order`,
    values: [userIds],
  })
}

/** The bookings of a user that a rule counts. */
export type UserBookings = {
  /** How many, in the place where they are counted. */
  ahead: number
  /** The first one at the same time. */
  present: { name: string; from: string; to: string | null; zone: string } | null
}

// Past bookings do not count, and a guest's booking is not its user's. $4 and $5 are the place where bookings
// are counted; each place is counted once for all rows.
const COUNT = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::timestamptz[], $4::text[], $5::bigint[], $6::timestamptz[],
      $7::timestamptz[], $8::bigint[]) WITH ORDINALITY
      AS asked (user_id, type, now, place_kind, place_id, from_time, to_time, booking_id, ordinal)
  ), counted AS MATERIALIZED (
    SELECT places.*, (
      SELECT count(*)::int
      FROM bookings
      JOIN bookables ON bookables.id = bookings.bookable_id
      JOIN locations ON locations.id = bookables.location_id
      WHERE bookings.user_id = places.user_id AND bookings.during && tstzrange(places.now, NULL)
        AND bookables.type = places.type
        AND CASE places.place_kind WHEN 'bookables' THEN bookables.id WHEN 'locations' THEN locations.id
          ELSE locations.building_id END = places.place_id
    ) AS ahead
    FROM (SELECT DISTINCT user_id, type, now, place_kind, place_id FROM asked) AS places
  )
  SELECT asked.ordinal::int, counted.ahead, (
    SELECT json_build_object('name', bookables.name, 'from', ${timestampText('lower(bookings.during)')},
      'to', ${timestampText('upper(bookings.during)')}, 'zone', ${zoneOf('bookings.bookable_id')})
    FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
    WHERE bookings.user_id = asked.user_id AND bookings.during && tstzrange(asked.from_time, asked.to_time)
      AND bookables.type = asked.type AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
      AND bookings.id IS DISTINCT FROM asked.booking_id
    ORDER BY lower(bookings.during), bookings.id LIMIT 1
  ) AS present
  FROM asked JOIN counted USING (user_id, type, now, place_kind, place_id)`

/** Results are in the order of `all`. The locks of the users are held. */
export async function findUserBookings(connection: Connection, all: Counted[]): Promise<UserBookings[]> {
  if (all.length === 0) return []
  const values = all.map(({ userId, facts, span, now, bookingId }) => [
    userId,
    facts.bookable.type,
    now,
    facts.countedIn.column,
    facts.countedIn.id,
    span.from,
    span.to,
    bookingId ?? null,
  ])
  const columns = values[0]?.map((_value, column) => values.map((row) => row[column])) ?? []
  const { rows } = await connection.query<UserBookings & { ordinal: number }>({
    name: 'count-user-bookings',
    text: COUNT,
    values: columns,
  })
  const found = new Map(rows.map((row) => [row.ordinal - 1, row]))
  return all.map((_each, index) => found.get(index) ?? { ahead: 0, present: null })
}
