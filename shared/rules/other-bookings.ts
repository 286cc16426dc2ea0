// What a rule may need to know of the user's other bookings of the same type: the SQL that finds it, and the same for
// bookings that are created together.
import { timestampText } from '../schemas/json.ts'

export type Time = { from: string; to: string | null }
export type HeldBooking = Time & { name: string; zone: string }

/** A booking of the same user and type that comes before this one in the same write. */
export type EarlierBooking = {
  booking: HeldBooking
  isForGuest: boolean
  /** Whether it is in the place that sets the limit of bookings ahead. */
  isCountedThere: boolean
}

// Methods, so that what any rule counts can be handled as something unknown.
export type OtherBookings<Found> = {
  /** The time in which other bookings matter. */
  during(asked: Time & { now: string; zone: string }): Time
  /**
   * SQL of JSON, for a row `asked` with that time (from_time, to_time), user_id, type, the booking_id of a booking that is
   * changed, and the place that sets the limit of bookings ahead (place_kind, place_id).
   */
  sql: string
  /** The same with the earlier bookings of the write. */
  withEarlier(found: Found, earlier: EarlierBooking[], during: Time): Found
}

const BOOKINGS = `bookings JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id`
// A booking neither conflicts with itself nor adds to the count.
const ARE_OTHERS = `bookings.user_id = asked.user_id AND bookables.type = asked.type
    AND bookings.during && tstzrange(asked.from_time, asked.to_time)
    AND bookings.id IS DISTINCT FROM asked.booking_id`

/** How many there are in the place that sets the limit, those for guests too. */
export const numberInPlace = (during: OtherBookings<number>['during']): OtherBookings<number> => ({
  during,
  sql: `SELECT to_json(count(*)) FROM ${BOOKINGS} WHERE ${ARE_OTHERS}
    AND CASE asked.place_kind WHEN 'bookables' THEN bookables.id
    WHEN 'locations' THEN locations.id ELSE locations.building_id END = asked.place_id`,
  withEarlier: (found, earlier, time) =>
    found + earlier.filter(({ booking, isCountedThere }) => isCountedThere && overlap(booking, time)).length,
})

/** The first one anywhere that is not for a guest. Names floor and building: several may have a desk of the same name. */
export const firstOwn = (
  during: OtherBookings<HeldBooking | null>['during'],
): OtherBookings<HeldBooking | null> => ({
  during,
  sql: `SELECT json_build_object('name', bookables.name || ' (' || locations.name || ', ' || buildings.name || ')',
      'from', ${timestampText('lower(bookings.during)')}, 'to', ${timestampText('upper(bookings.during)')},
      'zone', buildings.timezone)
    FROM ${BOOKINGS} JOIN buildings ON buildings.id = locations.building_id
    WHERE ${ARE_OTHERS} AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
    ORDER BY lower(bookings.during), bookings.id LIMIT 1`,
  withEarlier(found, earlier, time) {
    const own = earlier.filter(({ booking, isForGuest }) => !isForGuest && overlap(booking, time))
    const held = [...own.map(({ booking }) => booking), ...(found ? [found] : [])]
    return held.sort((a, b) => (a.from < b.from ? -1 : 1))[0] ?? null
  },
})

const overlap = (a: Time, b: Time) => (b.to === null || a.from < b.to) && (a.to === null || b.from < a.to)
