// Listings of bookings with filters: by user, by group, and by type and tags of the bookable. A listing without
// filters keeps its own statement.
import { claimsBetween, momentSql } from '../../../../shared/affected-bookings/claims.ts'
import { type BookingFilters, bookingFilters } from '../../../../shared/bookings/booking-filters.ts'
import { listedBookingJson } from '../../../../shared/bookings/bookings-shape.ts'
import { WITH_BUILDINGS } from '../../../../shared/locations/locations.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { range } from '../../../../shared/schemas/queries.ts'
import { type Listing, prepareListing } from '../../../server/http/listing.ts'
import {
  allBookings,
  BOOKING_COLUMNS,
  bookingsOfBuilding,
  bookingsOfLocation,
  HAS_USER,
  type RangeCall,
  SHOWN,
  WITH_USERS,
} from './bookings-queries.ts'

type FilteredCall = RangeCall & { query: BookingFilters }

type Place = {
  name: keyof typeof SHOWN
  whole: Listing
  missing: Message
  /** SQL: the place of a bookable is $1. */
  isIn?: string
  parent?: string
}

const ORDER = { 'lower(bookings.during)': 'timestamptz', 'bookings.id': 'bigint' } as const
const WITH_BOOKABLES = `JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS}`

const whereGiven = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`
const isMember = (group: string) =>
  whereGiven(
    `${group}::bigint`,
    `bookings.user_id IN (SELECT user_id FROM group_members WHERE group_id = ${group})`,
  )
const isOfType = (type: string, tags: string) =>
  `${whereGiven(`${type}::int`, `bookables.type = ${type}`)} AND ${whereGiven(`${tags}::text[]`, `bookables.tags @> ${tags}`)}`
const hasGroup = (group: string) =>
  whereGiven(`${group}::bigint`, `EXISTS (SELECT FROM groups WHERE id = ${group})`)

const exists = (...conditions: Array<string | undefined>) =>
  conditions.filter((each) => each !== undefined).join(' AND ')

/** The bookings of one user are so few that the index of users finds them, and the rest is filtered. */
function listingOfUser({ name, missing, isIn, parent }: Place): Listing {
  const [user, group, from, to, baseUrl, type, tags] = placeholders(isIn ? 1 : 0)
  const conditions = exists(
    `bookings.user_id = (SELECT ${user}::bigint)`,
    `bookings.during && tstzrange(${momentSql(from)}, ${momentSql(to)})`,
    isMember(group),
    isOfType(type, tags),
    isIn,
  )
  return prepareListing({
    name: `bookings-of-${name}-by-user`,
    item: listedBookingJson(baseUrl, SHOWN[name]),
    rows: `bookings ${WITH_BOOKABLES} JOIN users ON users.id = bookings.user_id WHERE ${conditions}`,
    order: ORDER,
    parent: exists(parent, `EXISTS (SELECT FROM users WHERE id = ${user}::bigint)`, hasGroup(group)),
    missing,
    isShort: true,
  })
}

function listingOfAll({ name, missing, isIn, parent }: Place): Listing {
  const [group, from, to, baseUrl, type, tags] = placeholders(isIn ? 1 : 0)
  const isBookable = isOfType(type, tags)
  const bookables =
    isIn && `SELECT bookables.id FROM bookables ${WITH_BUILDINGS} WHERE ${isIn} AND ${isBookable}`
  const isOfBookable = `((${type}::int IS NULL AND ${tags}::text[] IS NULL)
    OR bookings.bookable_id IN (SELECT bookables.id FROM bookables WHERE ${isBookable}))`
  const condition = exists(HAS_USER, isMember(group), bookables ? undefined : isOfBookable)
  const [start, end] = [momentSql(from), momentSql(to)]
  const ofBookables = bookables ? `bookings.bookable_id = ANY (ARRAY(${bookables})) AND` : ''
  return prepareListing({
    name: `bookings-of-${name}-filtered`,
    item: listedBookingJson(baseUrl, SHOWN[name]),
    rows: {
      table: 'bookings',
      columns: BOOKING_COLUMNS,
      overlapping: claimsBetween(start, end, condition, bookables),
      beginning: `SELECT * FROM bookings WHERE ${ofBookables} ${condition}
        AND lower(bookings.during) >= ${from} AND lower(bookings.during) < ${to}`,
      joins: `${WITH_BOOKABLES} ${WITH_USERS}`,
      from: Number(from.slice(1)),
      to: Number(to.slice(1)),
    },
    order: ORDER,
    parent: exists(parent, hasGroup(group)),
    missing,
  })
}

/** After those of the path. */
const placeholders = (before: number) => [1, 2, 3, 4, 5, 6, 7].map((each) => `$${before + each}`) as Seven
type Seven = [string, string, string, string, string, string, string]

function filterable(place: Place) {
  const [ofUser, ofAll] = [listingOfUser(place), listingOfAll(place)]
  return {
    listings: { ofUser, ofAll },
    query: object({ ...range, ...bookingFilters }),
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

export const filteredBookings = filterable({
  name: 'all',
  whole: allBookings,
  missing: message`There is no person or group with this id.`,
})

export const filteredBookingsOfBuilding = filterable({
  name: 'building',
  whole: bookingsOfBuilding,
  missing: message`There is no building, person or group with this id.`,
  isIn: 'locations.building_id = $1',
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const filteredBookingsOfLocation = filterable({
  name: 'location',
  whole: bookingsOfLocation,
  missing: message`There is no floor, person or group with this id.`,
  isIn: 'bookables.location_id = $1',
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})
