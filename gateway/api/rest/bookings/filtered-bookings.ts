// Listings of bookings with filters: by user, by group, and by type and tags of the bookable. A listing
// without filters has its own statement.
import { claimsBetweenSql, timestampSql } from '../../../../shared/affected-bookings/claims.ts'
import { type BookingFilters, bookingFilters } from '../../../../shared/bookings/booking-filters.ts'
import { listedBookingJson } from '../../../../shared/bookings/bookings-shape.ts'
import { JOIN_BUILDINGS_SQL } from '../../../../shared/locations/locations.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { timeRangeFields } from '../../../../shared/schemas/queries.ts'
import { type Listing, prepareListing } from '../../../server/http/listing.ts'
import {
  ADDED_BOOKING_FIELDS,
  allBookings,
  BOOKING_COLUMNS,
  type BookingRangeCall,
  bookingsOfBuilding,
  bookingsOfLocation,
  HAS_USER,
  JOIN_USERS,
} from './bookings-queries.ts'

type FilteredCall = BookingRangeCall & { query: BookingFilters }

type FilteredPlace = {
  name: keyof typeof ADDED_BOOKING_FIELDS
  whole: Listing
  missing: Message
  /** SQL condition that the bookable is in the place $1. */
  isIn?: string
  parent?: string
}

const BOOKING_ORDER = { 'lower(bookings.during)': 'timestamptz', 'bookings.id': 'bigint' } as const
const JOIN_BOOKABLES_SQL = `JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_BUILDINGS_SQL}`

const optionalCondition = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`
const isMemberSql = (group: string) =>
  optionalCondition(
    `${group}::bigint`,
    `bookings.user_id IN (SELECT user_id FROM group_members WHERE group_id = ${group})`,
  )
const isOfTypeSql = (type: string, tags: string) =>
  `${optionalCondition(`${type}::int`, `bookables.type = ${type}`)} AND ${optionalCondition(`${tags}::text[]`, `bookables.tags @> ${tags}`)}`
const hasGroupSql = (group: string) =>
  optionalCondition(`${group}::bigint`, `EXISTS (SELECT FROM groups WHERE id = ${group})`)

const existsSql = (...conditions: Array<string | undefined>) =>
  conditions.filter((each) => each !== undefined).join(' AND ')

/** Lists one user's bookings. A user has so few bookings that Postgres finds them by the index of users and
 * then filters them. */
function prepareListingOfUser({ name, missing, isIn, parent }: FilteredPlace): Listing {
  const [user, group, from, to, baseUrl, type, tags] = filterPlaceholders(isIn ? 1 : 0)
  const conditions = existsSql(
    `bookings.user_id = (SELECT ${user}::bigint)`,
    `bookings.during && tstzrange(${timestampSql(from)}, ${timestampSql(to)})`,
    isMemberSql(group),
    isOfTypeSql(type, tags),
    isIn,
  )
  return prepareListing({
    name: `bookings-of-${name}-by-user`,
    item: listedBookingJson(baseUrl, ADDED_BOOKING_FIELDS[name]),
    rows: `bookings ${JOIN_BOOKABLES_SQL} JOIN users ON users.id = bookings.user_id WHERE ${conditions}`,
    order: BOOKING_ORDER,
    parent: existsSql(parent, `EXISTS (SELECT FROM users WHERE id = ${user}::bigint)`, hasGroupSql(group)),
    missing,
    isShort: true,
  })
}

function prepareListingOfAll({ name, missing, isIn, parent }: FilteredPlace): Listing {
  const [group, from, to, baseUrl, type, tags] = filterPlaceholders(isIn ? 1 : 0)
  const isBookable = isOfTypeSql(type, tags)
  const bookables =
    isIn && `SELECT bookables.id FROM bookables ${JOIN_BUILDINGS_SQL} WHERE ${isIn} AND ${isBookable}`
  const isOfBookable = `((${type}::int IS NULL AND ${tags}::text[] IS NULL)
    OR bookings.bookable_id IN (SELECT bookables.id FROM bookables WHERE ${isBookable}))`
  const condition = existsSql(HAS_USER, isMemberSql(group), bookables ? undefined : isOfBookable)
  const [start, end] = [timestampSql(from), timestampSql(to)]
  const ofBookables = bookables ? `bookings.bookable_id = ANY (ARRAY(${bookables})) AND` : ''
  return prepareListing({
    name: `bookings-of-${name}-filtered`,
    item: listedBookingJson(baseUrl, ADDED_BOOKING_FIELDS[name]),
    rows: {
      table: 'bookings',
      columns: BOOKING_COLUMNS,
      overlapping: claimsBetweenSql(start, end, condition, bookables),
      beginning: `SELECT * FROM bookings WHERE ${ofBookables} ${condition}
        AND lower(bookings.during) >= ${from} AND lower(bookings.during) < ${to}`,
      joins: `${JOIN_BOOKABLES_SQL} ${JOIN_USERS}`,
      from: Number(from.slice(1)),
      to: Number(to.slice(1)),
    },
    order: BOOKING_ORDER,
    parent: existsSql(parent, hasGroupSql(group)),
    missing,
  })
}

/** Returns the placeholders of the filters. They come after the `before` parameters of the path. */
const filterPlaceholders = (before: number) =>
  [1, 2, 3, 4, 5, 6, 7].map((each) => `$${before + each}`) as SevenPlaceholders
type SevenPlaceholders = [string, string, string, string, string, string, string]

function addFilters(place: FilteredPlace) {
  const [ofUser, ofAll] = [prepareListingOfUser(place), prepareListingOfAll(place)]
  return {
    listings: { ofUser, ofAll },
    query: object({ ...timeRangeFields, ...bookingFilters }),
    listing({ query: { user_id, group_id, type, tag } }: FilteredCall) {
      if (user_id !== undefined) return ofUser
      return [group_id, type, tag].some((each) => each !== undefined) ? ofAll : place.whole
    },
    values({ query, baseUrl }: FilteredCall): unknown[] {
      const { from, to, user_id, group_id = null, type = null, tag = null } = query
      if (user_id !== undefined) return [user_id, group_id, from, to, baseUrl, type, tag]
      const isFiltered = [group_id, type, tag].some((each) => each !== null)
      return isFiltered ? [group_id, from, to, baseUrl, type, tag] : [from, to, baseUrl]
    },
  }
}

export const filteredBookings = addFilters({
  name: 'all',
  whole: allBookings,
  missing: message`There is no person or group with this id.`,
})

export const filteredBookingsOfBuilding = addFilters({
  name: 'building',
  whole: bookingsOfBuilding,
  missing: message`There is no building, person or group with this id.`,
  isIn: 'locations.building_id = $1',
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const filteredBookingsOfLocation = addFilters({
  name: 'location',
  whole: bookingsOfLocation,
  missing: message`There is no floor, person or group with this id.`,
  isIn: 'bookables.location_id = $1',
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})
