// Creates the bookings of a load. Each booking has its own bookable and hour, so that no two bookings
// conflict.

export type Office = {
  /** Bookables that anybody may book, each with its location. */
  bookables: Array<[id: number, location: number]>
  users: number[]
}

export const BOOKINGS_PATH = '/api/v1/bookings'

// The start of the first hour that loads book. This hour is later than every booking of the seeded company.
const FIRST_SLOT_MS = Date.UTC(2090, 0, 1)
const HOUR_MS = 3_600_000

/** Consecutive slots use different bookables: every bookable is booked once before any is booked for the next hour. */
export function createBookingBody({ bookables, users }: Office, slot: number): string {
  const [bookable, location] = bookables[slot % bookables.length] ?? [0, 0]
  const fromMs = FIRST_SLOT_MS + Math.floor(slot / bookables.length) * HOUR_MS
  return JSON.stringify({
    bookable_id: bookable,
    location_id: location,
    user_id: users[slot % users.length],
    from_time: new Date(fromMs).toISOString(),
    to_time: new Date(fromMs + HOUR_MS).toISOString(),
  })
}
