// The bookings of a load: each has its own bookable and hour, so that none conflict.

export type Office = {
  /** Bookables that anybody may book, each with its location. */
  bookables: Array<[id: number, location: number]>
  users: number[]
}

export const BOOKINGS_PATH = '/api/v1/bookings'

// Later than any booking of the company.
const FIRST_HOUR = Date.UTC(2090, 0, 1)
const HOUR_MS = 3_600_000

/** Successive slots are of different bookables: all bookables come before the next hour. */
export function bookingBody({ bookables, users }: Office, slot: number): string {
  const [bookable, location] = bookables[slot % bookables.length] ?? [0, 0]
  const fromMs = FIRST_HOUR + Math.floor(slot / bookables.length) * HOUR_MS
  return JSON.stringify({
    bookable_id: bookable,
    location_id: location,
    user_id: users[slot % users.length],
    from_time: new Date(fromMs).toISOString(),
    to_time: new Date(fromMs + HOUR_MS).toISOString(),
  })
}
