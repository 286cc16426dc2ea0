// Defines what a rule may need to know about the user's other bookings of the same type: SQL that finds it,
// and functions that add bookings from the same write.
import { timestampText } from '../schemas/json.ts'

export type TimeSpan = { from: string; to: string | null }
export type HeldBooking = TimeSpan & { name: string; zone: string }

/** Another booking of the same user and type in the same write. */
export type BookingInSameWrite = {
  booking: HeldBooking
  isForGuest: boolean
  /** Whether the booking is in the place that sets the limit on upcoming bookings. */
  isCountedThere: boolean
}

// Declared as methods, so that TypeScript accepts a rule with any kind of result where the kind is unknown.
export type OtherBookings<Found> = {
  /** Returns the period in which the user's other bookings matter. */
  during(asked: TimeSpan & { now: string; zone: string }): TimeSpan
  /**
   * SQL for JSON. Reads a row `asked` with the period in which other bookings matter (from_time, to_time), user_id,
   * type, the booking_id of a booking that is being changed, the ids of others that the same write changes (changed_ids),
   * and the place that sets the limit on upcoming bookings (place_kind, place_id).
   */
  sql: string
  /** Adds other bookings from the same write to the result of the SQL. */
  addFromSameWrite(found: Found, others: BookingInSameWrite[], during: TimeSpan): Found
}

const BOOKINGS_SQL = `bookings JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id`
// A booking that is being changed neither conflicts with itself nor counts.
const ARE_OTHER_BOOKINGS = `bookings.user_id = asked.user_id AND bookables.type = asked.type
    AND bookings.during && tstzrange(asked.from_time, asked.to_time)
    AND bookings.id IS DISTINCT FROM asked.booking_id AND bookings.id <> ALL (asked.changed_ids)`

/** Counts the user's bookings in the place that sets the limit, including those for guests. */
export const countInPlace = (during: OtherBookings<number>['during']): OtherBookings<number> => ({
  during,
  sql: `SELECT to_json(count(*)) FROM ${BOOKINGS_SQL} WHERE ${ARE_OTHER_BOOKINGS}
    AND CASE asked.place_kind WHEN 'bookables' THEN bookables.id
    WHEN 'locations' THEN locations.id ELSE locations.building_id END = asked.place_id`,
  addFromSameWrite: (found, others, time) =>
    found +
    others.filter(({ booking, isCountedThere }) => isCountedThere && isOverlapping(booking, time)).length,
})

/**
 * Finds the user's first booking in any place, except bookings for guests. The name of the bookable includes floor and
 * building, because several desks may have the same name.
 */
export const findFirstOwn = (
  during: OtherBookings<HeldBooking | null>['during'],
): OtherBookings<HeldBooking | null> => ({
  during,
  sql: `SELECT json_build_object('name', bookables.name || ' (' || locations.name || ', ' || buildings.name || ')',
      'from', ${timestampText('lower(bookings.during)')}, 'to', ${timestampText('upper(bookings.during)')},
      'zone', buildings.timezone)
    FROM ${BOOKINGS_SQL} JOIN buildings ON buildings.id = locations.building_id
    WHERE ${ARE_OTHER_BOOKINGS} AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
    ORDER BY lower(bookings.during), bookings.id LIMIT 1`,
  addFromSameWrite(found, others, time) {
    const own = others.filter(({ booking, isForGuest }) => !isForGuest && isOverlapping(booking, time))
    const held = [...own.map(({ booking }) => booking), ...(found ? [found] : [])]
    return held.sort((a, b) => (a.from < b.from ? -1 : 1))[0] ?? null
  },
})

const isOverlapping = (a: TimeSpan, b: TimeSpan) =>
  (b.to === null || a.from < b.to) && (a.to === null || b.from < a.to)
