// A booking as the API shows one; each endpoint lists the members that it shows.
import { BOOKABLE_TYPES, bookableInBuildingJson, locatedBookableJson } from '../bookables/bookables.ts'
import { WITH_BUILDINGS } from '../locations/locations.ts'
import {
  dataText,
  type JsonSql,
  link,
  memberWhere,
  number,
  objectJson,
  rowJson,
  text,
  timestamp,
} from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { bookingDetailsSchema, writtenBookingSchema } from './bookings.ts'

/** The rows that writtenBookingJson needs, under the names that it uses. */
export const writtenBookingRows = `
  bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN users ON users.id = bookings.user_id`

/** The answer to every write of a booking; `baseUrl` is the placeholder of the base address. */
export const writtenBookingJson = (baseUrl: string) =>
  rowJson(writtenBookingSchema, 'bookings', {
    ...when(baseUrl),
    bookable: locatedBookableJson,
    user: userJson,
  })

const GUEST = 'coalesce(bookings.guest_name, bookings.guest_email)'
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
    guest: text(GUEST),
    license_plate: licensePlate,
    ...more,
  })
}

/** The rows of bookingDetailsText. The rooms of events have no user. */
export const bookingDetailsRows = `bookings JOIN bookables ON bookables.id = bookings.bookable_id
  ${WITH_BUILDINGS} JOIN users ON users.id = bookings.user_id`

/** One booking's answer. */
export const bookingDetailsText = (baseUrl: string) =>
  dataText(
    rowJson(bookingDetailsSchema, 'bookings', {
      ...when(baseUrl),
      bookable: bookableInBuildingJson,
      user: userJson,
      guest: GUEST,
      license_plate: licensePlate,
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
