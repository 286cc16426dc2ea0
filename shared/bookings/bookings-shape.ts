// SQL for bookings as the API shows them. Each endpoint lists the fields that it shows.
import { BOOKABLE_TYPES, bookableInBuildingJson, locatedBookableJson } from '../bookables/bookables.ts'
import { JOIN_BUILDINGS_SQL } from '../locations/locations.ts'
import {
  dataBodyText,
  type JsonSql,
  linkJson,
  number,
  objectJson,
  optionalMemberJson,
  rowJson,
  text,
  timestamp,
} from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { bookingDetailsSchema, writtenBookingSchema } from './bookings.ts'

/** SQL for the rows that writtenBookingJson reads, under the aliases that it uses. */
export const WRITTEN_BOOKING_ROWS_SQL = `
  bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN users ON users.id = bookings.user_id`

/** The response of every endpoint that writes a booking. `baseUrl` is the placeholder of the base URL. */
export const writtenBookingJson = (baseUrl: string) =>
  rowJson(writtenBookingSchema, 'bookings', {
    ...timesJson(baseUrl),
    bookable: locatedBookableJson,
    user: userJson,
  })

const GUEST_SQL = 'coalesce(bookings.guest_name, bookings.guest_email)'
const licensePlate = optionalMemberJson(
  `bookables.type = ${BOOKABLE_TYPES.parkingSpot}`,
  text<string | null>('bookings.license_plate'),
)

type Members = Record<string, JsonSql<unknown>>

/** One booking in a listing, with its bookable and its user if the listing includes them. */
export function listedBookingJson(
  baseUrl: string | undefined,
  shown: Members,
  more: Members = {},
): JsonSql<object> {
  return objectJson({
    ...timesJson(baseUrl),
    ...shown,
    guest: text(GUEST_SQL),
    license_plate: licensePlate,
    ...more,
  })
}

/** SQL for the rows that bookingDetailsText reads. Excludes rooms of events, which have no user. */
export const BOOKING_DETAILS_ROWS_SQL = `bookings JOIN bookables ON bookables.id = bookings.bookable_id
  ${JOIN_BUILDINGS_SQL} JOIN users ON users.id = bookings.user_id`

/** SQL for the API's response for one booking. */
export const bookingDetailsText = (baseUrl: string) =>
  dataBodyText(
    rowJson(bookingDetailsSchema, 'bookings', {
      ...timesJson(baseUrl),
      bookable: bookableInBuildingJson,
      user: userJson,
      guest: GUEST_SQL,
      license_plate: licensePlate,
    }),
  )

export const selectBookingSql = (id: string, baseUrl: string) =>
  `SELECT ${bookingDetailsText(baseUrl)} AS body FROM ${BOOKING_DETAILS_ROWS_SQL} WHERE bookings.id = ${id}`

const timesJson = (baseUrl: string | undefined) => ({
  id: number('bookings.id'),
  from: timestamp('lower(bookings.during)'),
  to: timestamp('upper(bookings.during)'),
  livemap: linkJson(baseUrl, '/api/v1/bookings/', number('bookings.id'), '/livemap'),
})
