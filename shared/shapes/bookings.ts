// A booking as the API shows one; each endpoint lists the members that it shows.
import { BOOKABLE_TYPES } from '../contracts/bookables.ts'
import type { WrittenBooking } from '../contracts/bookings.ts'
import { locatedBookableJson } from './bookables.ts'
import { objectJson, timestampJson } from './json.ts'
import { userJson } from './users.ts'

/** The rows that writtenBookingJson needs, with the names that it uses. */
export const writtenBookingRows = `
  bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN users ON users.id = bookings.user_id`

/** What every write of a booking says of it; `baseUrl` is the placeholder of the base address. */
export const writtenBookingJson = (baseUrl: string) =>
  objectJson<WrittenBooking>({
    ...when(baseUrl),
    bookable: locatedBookableJson('bookables', 'locations'),
    user: userJson('users'),
  })

/** An item of a listing: with the bookable and the user where the listing shows them. */
export function listedBookingJson(baseUrl: string, shown: { bookable?: string; user?: string }): string {
  const members = {
    ...when(baseUrl),
    ...shown,
    guest: 'coalesce(bookings.guest_name, bookings.guest_email)',
  }
  const parking = objectJson({ ...members, license_plate: 'bookings.license_plate' })
  return `CASE WHEN bookables.type = ${BOOKABLE_TYPES.parkingSpot} THEN ${parking} ELSE ${objectJson(members)} END`
}

const when = (baseUrl: string) => ({
  id: 'bookings.id',
  from: timestampJson('lower(bookings.during)'),
  to: timestampJson('upper(bookings.during)'),
  livemap: `${baseUrl}::text || '/api/v1/bookings/' || bookings.id || '/livemap'`,
})
