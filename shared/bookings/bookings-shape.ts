// A booking as the API shows one; each endpoint lists the members that it shows.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { bookableInBuildingJson, locatedBookableJson } from '../bookables/bookables-shape.ts'
import { WITH_BUILDINGS } from '../locations/locations-shape.ts'
import {
  dataText,
  type JsonSql,
  link,
  memberWhere,
  number,
  objectJson,
  text,
  timestamp,
} from '../schemas/json.ts'
import { userJson } from '../users/users-shape.ts'
import type { BookingDetails, WrittenBooking } from './bookings.ts'

/** The rows that writtenBookingJson needs, under the names that it uses. */
export const writtenBookingRows = `
  bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN users ON users.id = bookings.user_id`

/** The answer to every write of a booking; `baseUrl` is the placeholder of the base address. */
export const writtenBookingJson = (baseUrl: string) =>
  objectJson<WrittenBooking>({
    ...when(baseUrl),
    bookable: locatedBookableJson('bookables', 'locations'),
    user: userJson('users'),
  })

const licensePlate = memberWhere(
  `bookables.type = ${BOOKABLE_TYPES.parkingSpot}`,
  text<string | null>('bookings.license_plate'),
)

type Members = Record<string, JsonSql<unknown>>

/** An item of a listing, with the bookable and the user if the listing shows them. */
export function listedBookingJson(baseUrl: string, shown: Members, more: Members = {}): JsonSql<object> {
  return objectJson({
    ...when(baseUrl),
    ...shown,
    guest: text('coalesce(bookings.guest_name, bookings.guest_email)'),
    license_plate: licensePlate,
    ...more,
  })
}

/** The rows of bookingDetailsText. The rooms of events have no user. */
export const bookingDetailsRows = `bookings JOIN bookables ON bookables.id = bookings.bookable_id
  ${WITH_BUILDINGS} JOIN users ON users.id = bookings.user_id`

/** One booking's answer. */
export const bookingDetailsText = (baseUrl: string) =>
  dataText<BookingDetails>(
    objectJson({
      ...when(baseUrl),
      bookable: bookableInBuildingJson('bookables', 'locations', 'buildings'),
      user: userJson('users'),
      guest: text<string | null>('coalesce(bookings.guest_name, bookings.guest_email)'),
      license_plate: licensePlate,
      series_id: number<number | null>('bookings.series_id'),
      checked_in_at: timestamp<string | null>('bookings.checked_in_at'),
      guest_email: text<string | null>('bookings.guest_email'),
      booking_info: text<string | null>('bookings.booking_info'),
    }),
  )

export const selectBooking = (id: string, baseUrl: string) =>
  `SELECT ${bookingDetailsText(baseUrl)} AS body FROM ${bookingDetailsRows} WHERE bookings.id = ${id}`

const when = (baseUrl: string) => ({
  id: number('bookings.id'),
  from: timestamp('lower(bookings.during)'),
  to: timestamp('upper(bookings.during)'),
  livemap: link(baseUrl, '/api/v1/bookings/', number('bookings.id'), '/livemap'),
})
