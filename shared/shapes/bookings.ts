// A booking as the API shows one; each endpoint lists the members that it shows.
import { locatedBookableJson } from './bookables.ts'
import { objectJson, timestampJson } from './json.ts'
import { userJson } from './users.ts'

/** The rows that writtenBookingJson needs, with the names that it uses. */
export const writtenBookingRows = `
  bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN users ON users.id = bookings.user_id`

/** The answer of every write of a booking; `baseUrl` is the placeholder of the base address. */
export const writtenBookingJson = (baseUrl: string) =>
  objectJson({
    id: 'bookings.id',
    from: timestampJson('lower(bookings.during)'),
    to: timestampJson('upper(bookings.during)'),
    livemap: livemapJson('bookings', baseUrl),
    bookable: locatedBookableJson('bookables', 'locations'),
    user: userJson('users'),
  })

const livemapJson = (row: string, baseUrl: string) =>
  `${baseUrl}::text || '/api/v1/bookings/' || ${row}.id || '/livemap'`
