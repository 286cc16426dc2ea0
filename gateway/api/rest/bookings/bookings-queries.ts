// Queries for one booking and for listings of bookings. Their parameters are the parent (if there is one), from, to and
// the base URL. The rooms of events are claims, not bookings.
import { claimsBetweenSql, timestampSql } from '../../../../shared/affected-bookings/claims.ts'
import {
  bookableInBuildingJson,
  bookableJson,
  locatedBookableJson,
} from '../../../../shared/bookables/bookables.ts'
import {
  listedBookingJson,
  selectBookingSql,
  WRITTEN_BOOKING_ROWS_SQL,
  writtenBookingJson,
} from '../../../../shared/bookings/bookings-shape.ts'
import { seriesSchema } from '../../../../shared/bookings/series.ts'
import { JOIN_BUILDINGS_SQL, JOIN_LOCATIONS_SQL } from '../../../../shared/locations/locations.ts'
import { json, listJson, rowJson, selectDataBodySql, selectJson } from '../../../../shared/schemas/json.ts'
import { timeRangeQuery } from '../../../../shared/schemas/queries.ts'
import { userJson } from '../../../../shared/users/users.ts'
import { type ListingDefinition, prepareListing, type TimeRangeRows } from '../../../server/http/listing.ts'

export type BookingRangeCall = { query: { from: string; to: string }; baseUrl: string }

/** The time range of every listing of bookings. Its query parameters come after the parameters of the parent. */
export const bookingRange = {
  query: timeRangeQuery,
  values: ({ query, baseUrl }: BookingRangeCall) => [query.from, query.to, baseUrl],
}

type BookingListingDefinition = {
  name: keyof typeof ADDED_BOOKING_FIELDS
  rows: ListingDefinition['rows']
  parent?: string
  isShort?: boolean
}

/** The fields that a listing adds to each booking, by the listing's name. */
export const ADDED_BOOKING_FIELDS = {
  user: { bookable: bookableInBuildingJson },
  email: { bookable: bookableInBuildingJson },
  building: { bookable: locatedBookableJson, user: userJson },
  location: { bookable: bookableJson, user: userJson },
  bookable: { user: userJson },
  all: { bookable: bookableInBuildingJson, user: userJson },
}

// Joins users one by one, because hashing all users takes longer if there are few bookings.
export const JOIN_USERS =
  'CROSS JOIN LATERAL (SELECT * FROM users WHERE users.id = bookings.user_id OFFSET 0) AS users'

const prepareBookingListing = ({ name, rows, parent, isShort }: BookingListingDefinition) =>
  prepareListing({
    name: `bookings-of-${name}`,
    item: listedBookingJson(parent ? '$4' : '$3', ADDED_BOOKING_FIELDS[name]),
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

const [FROM, TO] = [timestampSql('$2'), timestampSql('$3')]

/**
 * Selects the bookings of bookables. `bookables` is SQL that selects the bookables' ids; `from` and `to` are $2 and $3.
 */
const bookingRowsOfBookables = (bookables: string, joins: string): TimeRangeRows => ({
  table: 'bookings',
  columns: BOOKING_COLUMNS,
  overlapping: claimsBetweenSql(FROM, TO, HAS_USER, bookables),
  beginning: `SELECT * FROM bookings WHERE bookings.bookable_id = ANY (ARRAY(${bookables})) AND ${HAS_USER}
    AND lower(bookings.during) >= $2 AND lower(bookings.during) < $3`,
  joins: `JOIN bookables ON bookables.id = bookings.bookable_id ${joins}`,
  from: 2,
  to: 3,
})

/** Selects the bookings of one user. A user has so few bookings that Postgres can filter them by time without
 * an index. */
const bookingRowsOfUser = (userId: string) =>
  `bookings JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_BUILDINGS_SQL}
   WHERE bookings.user_id = ${userId} AND bookings.during && tstzrange(${FROM}, ${TO})`

export const bookingsOfUser = prepareBookingListing({
  name: 'user',
  isShort: true,
  rows: bookingRowsOfUser('(SELECT $1::bigint)'),
  parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
})

const USER_ID_BY_EMAIL_SQL =
  '(SELECT id FROM users WHERE lower(email) = lower($1) AND deactivated_at IS NULL)'

export const bookingsOfEmail = prepareBookingListing({
  name: 'email',
  isShort: true,
  rows: bookingRowsOfUser(USER_ID_BY_EMAIL_SQL),
  parent: `EXISTS ${USER_ID_BY_EMAIL_SQL}`,
})

export const bookingsOfBuilding = prepareBookingListing({
  name: 'building',
  rows: bookingRowsOfBookables(
    `SELECT bookables.id FROM bookables ${JOIN_LOCATIONS_SQL} WHERE locations.building_id = $1`,
    `${JOIN_LOCATIONS_SQL} ${JOIN_USERS}`,
  ),
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const bookingsOfLocation = prepareBookingListing({
  name: 'location',
  rows: bookingRowsOfBookables('SELECT id FROM bookables WHERE location_id = $1', JOIN_USERS),
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})

export const bookingsOfBookable = prepareBookingListing({
  name: 'bookable',
  rows: bookingRowsOfBookables('SELECT id FROM bookables WHERE id = $1', JOIN_USERS),
  parent: 'EXISTS (SELECT FROM bookables WHERE id = $1 AND deleted_at IS NULL)',
})

// Lists all bookings by the index of starts, so that a page is complete before Postgres reads the rest of the week.
export const allBookings = prepareBookingListing({
  name: 'all',
  rows: {
    table: 'bookings',
    columns: BOOKING_COLUMNS,
    overlapping: claimsBetweenSql('$1', '$2', HAS_USER),
    beginning: `SELECT * FROM bookings
      WHERE ${HAS_USER} AND lower(bookings.during) >= $1 AND lower(bookings.during) < $2`,
    joins: `JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_BUILDINGS_SQL} ${JOIN_USERS}`,
    from: 1,
    to: 2,
  },
})

export const bookingById = { name: 'find-booking', text: selectBookingSql('$1', '$2') }

const seriesJson = rowJson(seriesSchema, 'series', {
  repeat: json('series.repeat'),
  bookings: selectJson(
    listJson(writtenBookingJson('$2'), 'lower(bookings.during), bookings.id'),
    `FROM ${WRITTEN_BOOKING_ROWS_SQL} WHERE bookings.series_id = $1`,
  ),
})

export const seriesById = {
  name: 'find-series',
  text: selectDataBodySql(
    seriesJson,
    'series WHERE series.id = $1 AND NOT EXISTS (SELECT FROM events WHERE events.series_id = series.id)',
  ),
}
