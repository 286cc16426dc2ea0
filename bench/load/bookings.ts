// The bookings of a load: every one has a bookable and an hour of its own, so that none is in the way of another.

export type Office = {
  /** Bookables that anybody may book, each with its location. */
  bookables: Array<[id: number, location: number]>
  users: number[]
}

export const BOOKINGS_PATH = '/api/v1/bookings'

// Far behind whatever a company has booked.
const FIRST_HOUR = Date.UTC(2090, 0, 1)
const HOUR_MS = 3_600_000

/** Neighbours in number are of different bookables: all of them come before the next hour. */
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
