// Queries for one booking and listings of them. Their values are the parent (if there is one), from, to and
// the base address. Rooms of events are claims, not bookings.
import { claimsBetween, momentSql } from '../../../../shared/affected-bookings/claims.ts'
import {
  bookableInBuildingJson,
  bookableJson,
  locatedBookableJson,
} from '../../../../shared/bookables/bookables.ts'
import {
  listedBookingJson,
  selectBooking,
  writtenBookingJson,
  writtenBookingRows,
} from '../../../../shared/bookings/bookings-shape.ts'
import { seriesSchema } from '../../../../shared/bookings/series.ts'
import { WITH_BUILDINGS, WITH_LOCATIONS } from '../../../../shared/locations/locations.ts'
import { json, listJson, rowJson, selectData, selectJson } from '../../../../shared/schemas/json.ts'
import { rangeQuery } from '../../../../shared/schemas/queries.ts'
import { userJson } from '../../../../shared/users/users.ts'
import { type ListingDefinition, prepareListing, type RowsInTime } from '../../../server/http/listing.ts'

export type RangeCall = { query: { from: string; to: string }; baseUrl: string }

/** The range of every listing of bookings. Its values come after the parent. */
export const inRange = {
  query: rangeQuery,
  values: ({ query, baseUrl }: RangeCall) => [query.from, query.to, baseUrl],
}

type Definition = {
  name: keyof typeof SHOWN
  rows: ListingDefinition['rows']
  parent?: string
  isShort?: boolean
}

/** Fields that a listing adds to the booking, by name. */
export const SHOWN = {
  user: { bookable: bookableInBuildingJson },
  email: { bookable: bookableInBuildingJson },
  building: { bookable: locatedBookableJson, user: userJson },
  location: { bookable: bookableJson, user: userJson },
  bookable: { user: userJson },
  all: { bookable: bookableInBuildingJson, user: userJson },
}

// Joins users one by one: hashing all users takes longer if there are few bookings.
export const WITH_USERS =
  'CROSS JOIN LATERAL (SELECT * FROM users WHERE users.id = bookings.user_id OFFSET 0) AS users'

const bookingsOf = ({ name, rows, parent, isShort }: Definition) =>
  prepareListing({
    name: `bookings-of-${name}`,
    item: listedBookingJson(parent ? '$4' : '$3', SHOWN[name]),
    rows,
    isShort,
    order: { 'lower(bookings.during)': 'timestamptz', 'bookings.id': 'bigint' },
    parent,
  })

export const HAS_USER = 'bookings.user_id IS NOT NULL'

export const BOOKING_COLUMNS = [
  'id',
  'bookable_id',
  'user_id',
  'during',
  'guest_name',
  'guest_email',
  'license_plate',
]
  .map((column) => `bookings.${column}`)
  .join(', ')

const [FROM, TO] = [momentSql('$2'), momentSql('$3')]

/** The bookings of the bookables whose IDs the SQL selects; `from` and `to` are $2 and $3. */
const bookingsAt = (bookables: string, joins: string): RowsInTime => ({
  table: 'bookings',
  columns: BOOKING_COLUMNS,
  overlapping: claimsBetween(FROM, TO, HAS_USER, bookables),
  beginning: `SELECT * FROM bookings WHERE bookings.bookable_id = ANY (ARRAY(${bookables})) AND ${HAS_USER}
    AND lower(bookings.during) >= $2 AND lower(bookings.during) < $3`,
  joins: `JOIN bookables ON bookables.id = bookings.bookable_id ${joins}`,
  from: 2,
  to: 3,
})

/** The bookings of one user: so few that filtering by time is enough. */
const bookingsBy = (userId: string) =>
  `bookings JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS}
   WHERE bookings.user_id = ${userId} AND bookings.during && tstzrange(${FROM}, ${TO})`

export const bookingsOfUser = bookingsOf({
  name: 'user',
  isShort: true,
  rows: bookingsBy('(SELECT $1::bigint)'),
  parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
})

const idOfEmail = '(SELECT id FROM users WHERE lower(email) = lower($1) AND deactivated_at IS NULL)'

export const bookingsOfEmail = bookingsOf({
  name: 'email',
  isShort: true,
  rows: bookingsBy(idOfEmail),
  parent: `EXISTS ${idOfEmail}`,
})

export const bookingsOfBuilding = bookingsOf({
  name: 'building',
  rows: bookingsAt(
    `SELECT bookables.id FROM bookables ${WITH_LOCATIONS} WHERE locations.building_id = $1`,
    `${WITH_LOCATIONS} ${WITH_USERS}`,
  ),
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const bookingsOfLocation = bookingsOf({
  name: 'location',
  rows: bookingsAt('SELECT id FROM bookables WHERE location_id = $1', WITH_USERS),
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})

export const bookingsOfBookable = bookingsOf({
  name: 'bookable',
  rows: bookingsAt('SELECT id FROM bookables WHERE id = $1', WITH_USERS),
  parent: 'EXISTS (SELECT FROM bookables WHERE id = $1 AND deleted_at IS NULL)',
})

// Uses the index of starts, so that a page is complete before Postgres reads the rest of the week.
export const allBookings = bookingsOf({
  name: 'all',
  rows: {
    table: 'bookings',
    columns: BOOKING_COLUMNS,
    overlapping: claimsBetween('$1', '$2', HAS_USER),
    beginning: `SELECT * FROM bookings
      WHERE ${HAS_USER} AND lower(bookings.during) >= $1 AND lower(bookings.during) < $2`,
    joins: `JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS} ${WITH_USERS}`,
    from: 1,
    to: 2,
  },
})

export const bookingById = { name: 'find-booking', text: selectBooking('$1', '$2') }

const series = rowJson(seriesSchema, 'series', {
  repeat: json('series.repeat'),
  bookings: selectJson(
    listJson(writtenBookingJson('$2'), 'lower(bookings.during), bookings.id'),
    `FROM ${writtenBookingRows} WHERE bookings.series_id = $1`,
  ),
})

export const seriesById = { name: 'find-series', text: selectData(series, 'series WHERE series.id = $1') }
