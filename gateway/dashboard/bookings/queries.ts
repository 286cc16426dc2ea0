// Queries for the dashboard's list of bookings, by time, person and place, and for claims that conflict with
// one. Rooms of events are claims too, but the list does not include them.

import type pg from 'pg'
import { claimsOf } from '../../../shared/affected-bookings/claims.ts'
import { message } from '../../../shared/messages/message.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { boundedList, shownRows } from '../search/bounded-list.ts'
import { SqlConditions } from '../search/sql-conditions.ts'
import { COUNTED_MAX, type Listed, type Slice, toListed } from '../ui/paging.ts'
import type { Order } from '../ui/sorting.ts'

export const missingBooking = message`This booking does not exist, or it has been cancelled.`

export type BookingRow = {
  id: number
  from: string
  to: string | null
  guest: string | null
  guestName: string | null
  guestEmail: string | null
  info: string | null
  plate: string | null
  vehicleId: number | null
  createdAt: string
  checkInFrom: string | null
  checkInUntil: string | null
  checkedInAt: string | null
  userId: number
  user: string
  email: string
  isActive: boolean
  bookableId: number
  bookable: string
  type: number
  requiresVehicle: boolean
  isDeleted: boolean
  location: string
  buildingId: number
  building: string
  zone: string
}

export type BookingDetails = BookingRow & { version: string }

type BookingSearch = {
  person?: string | undefined
  place?: string | undefined
  building?: number | undefined
  type?: number | undefined
  from: string
  to: string
}

type BookingOrder = 'from' | 'until' | 'person' | 'bookable' | 'location'

export type ConflictingClaim = {
  bookable: string
  zone: string
  /** The user who has the booking, or the organizer of the event that has it. */
  holder: string
  email: string
  event: string | null
  from: string
  to: string | null
}

const FROM = timestampText('lower(bookings.during)')
const TO = timestampText('upper(bookings.during)')

const COLUMNS = `
  bookings.id, ${FROM} AS "from", ${TO} AS "to", coalesce(bookings.guest_name, bookings.guest_email) AS guest,
  bookings.guest_name AS "guestName", bookings.guest_email AS "guestEmail", bookings.booking_info AS info,
  bookings.license_plate AS plate, bookings.vehicle_id AS "vehicleId",
  ${timestampText('bookings.created_at')} AS "createdAt",
  ${timestampText('bookings.check_in_from')} AS "checkInFrom",
  ${timestampText('bookings.check_in_until')} AS "checkInUntil",
  ${timestampText('bookings.checked_in_at')} AS "checkedInAt",
  users.id AS "userId", users.name AS user, users.email, users.deactivated_at IS NULL AS "isActive",
  bookables.id AS "bookableId", bookables.name AS bookable, bookables.type,
  bookables.requires_vehicle AS "requiresVehicle", bookables.deleted_at IS NOT NULL AS "isDeleted",
  locations.name AS location, buildings.id AS "buildingId", buildings.name AS building,
  buildings.timezone AS zone`

const JOIN_PLACES = `
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

const ORDERS: Record<BookingOrder, string> = {
  from: 'lower(bookings.during)',
  until: "coalesce(upper(bookings.during), 'infinity')",
  person: 'lower(users.name)',
  bookable: naturalSql('bookables.name'),
  location: naturalSql("locations.name || ' ' || buildings.name"),
}
export const BOOKING_ORDERS = Object.keys(ORDERS) as BookingOrder[]

const JOIN_ALL = `JOIN users ON users.id = bookings.user_id
  JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_PLACES}`

// A search that matches at most this many users finds bookings by user, any other search by time.
const USERS_MAX = 200

export async function searchBookings(
  reads: pg.Pool,
  search: BookingSearch,
  slice: Slice,
  order: Order<BookingOrder> = { key: 'from', isDescending: false },
): Promise<Listed<BookingRow>> {
  const users = await findUserIds(reads, search.person)
  if (users?.length === 0) return { rows: [], total: 0 }
  const conditions = new SqlConditions()
  const bounds = { from: conditions.bind(search.from), to: conditions.bind(search.to), order }
  conditions.addSearch(search.person, USER_COLUMNS)
  conditions.addSearch(search.place, ['bookables.name', 'locations.name', 'buildings.name'])
  if (search.building !== undefined) conditions.add(`buildings.id = ${conditions.bind(search.building)}`)
  if (search.type !== undefined) conditions.add(`bookables.type = ${conditions.bind(search.type)}`)
  const source = users ? bookingsOfUsers(conditions.bind(users), bounds) : bookingsOfPeriod(search, bounds)
  const needsOthers = !hasNoFilters(search) || (order.key !== 'from' && order.key !== 'until')
  const list = boundedList({
    table: 'bookings',
    from: `(${source}) AS bookings ${needsOthers ? JOIN_ALL : ''} WHERE ${conditions.sql}`,
    start: 'from',
    keys: ORDERS,
    order,
    slice,
  })
  const { rows } = await reads.query<BookingRow & { total: number }>(
    `WITH ${list}
     SELECT ${COLUMNS}, shown.total FROM ${shownRows('bookings')} ${JOIN_ALL}
     ORDER BY shown.ordinal`,
    conditions.values,
  )
  return toListed(rows)
}

type Bounds = { from: string; to: string; order: Order<BookingOrder> }

const USER_COLUMNS = ['users.name', 'users.email']

const hasNoFilters = ({ person, place, building, type }: BookingSearch) =>
  person === undefined && place === undefined && building === undefined && type === undefined

/** Returns undefined if the search has no words for people, or if it matches too many. */
async function findUserIds(reads: pg.Pool, words: string | undefined): Promise<number[] | undefined> {
  if (words === undefined) return undefined
  const conditions = new SqlConditions()
  conditions.addSearch(words, USER_COLUMNS)
  const { rows } = await reads.query<{ id: number }>(
    `SELECT id FROM users WHERE ${conditions.sql} LIMIT ${USERS_MAX + 1}`,
    conditions.values,
  )
  return rows.length > USERS_MAX ? undefined : rows.map(({ id }) => id)
}

function bookingsOfUsers(users: string, { from, to }: Bounds): string {
  return `SELECT * FROM bookings
    WHERE user_id = ANY(${users}) AND lower(during) < ${to} AND during && tstzrange(${from}, ${to})`
}

// Bookings that run when the period begins, and bookings that begin in it: each part has an index, and so do
// the bookings of a place. A search without other filters reads no more rows than it counts.
function bookingsOfPeriod(search: BookingSearch, { from, to, order }: Bounds): string {
  const running = claimsOf(`bookings.during @> ${from}::timestamptz AND lower(bookings.during) < ${from}`)
  const direction = order.key === 'from' && order.isDescending ? ' DESC' : ''
  const first = `ORDER BY lower(during)${direction}, id${direction} LIMIT ${COUNTED_MAX + 1}`
  return `SELECT * FROM (${running}) AS running WHERE user_id IS NOT NULL UNION ALL (
    SELECT * FROM bookings
    WHERE user_id IS NOT NULL AND lower(during) >= ${from} AND lower(during) < ${to}
    ${hasNoFilters(search) ? first : ''})`
}

export async function findBooking(reads: pg.Pool, id: number): Promise<BookingDetails | undefined> {
  const { rows } = await reads.query<BookingDetails>(
    `SELECT ${COLUMNS}, ${versionSql('bookings')} AS version FROM bookings
     ${JOIN_ALL}
     WHERE bookings.id = $1`,
    [id],
  )
  return rows[0]
}

/** Lists the first claims on these bookables in the period, with the user or, for an event, its organizer. */
export async function listConflictingClaims(
  reads: pg.Pool,
  { bookableIds, from, to }: { bookableIds: number[]; from: string; to: string | null },
  own: { booking?: number; event?: number } = {},
): Promise<ConflictingClaim[]> {
  const { rows } = await reads.query(
    `SELECT ${FROM} AS "from", ${TO} AS "to",
       holders.name AS holder, holders.email, events.name AS event,
       bookables.name AS bookable, buildings.timezone AS zone
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_PLACES}
     LEFT JOIN events ON events.id = bookings.event_id
     JOIN users AS holders ON holders.id = coalesce(bookings.user_id, events.organizer_user_id)
     WHERE bookings.exclusive AND bookings.bookable_id = ANY($1) AND bookings.during && tstzrange($2, $3)
       AND bookings.id IS DISTINCT FROM $4 AND (bookings.event_id IS NULL OR bookings.event_id IS DISTINCT FROM $5)
     ORDER BY lower(bookings.during), bookings.id LIMIT 3`,
    [bookableIds, from, to, own.booking ?? null, own.event ?? null],
  )
  return rows
}

/** Lists the floors of a building for a select field. */
export async function listFloors(reads: pg.Pool, building: number): Promise<{ id: number; name: string }[]> {
  const { rows } = await reads.query<{ id: number; name: string }>(
    'SELECT id, name FROM locations WHERE building_id = $1 ORDER BY id LIMIT 1000',
    [building],
  )
  return rows
}
