// Queries for bookings: single bookings, lists, and a search by time, person and place. The rooms of events are also
// claims, but these queries exclude them.
import type pg from 'pg'
import {
  type BookingFilters,
  bookingConditionsSql,
  bookingsBetweenSql,
  CAME_CONDITIONS,
  CAME_VALUES,
  type Came,
  isGroupMemberSql,
} from '../../../../shared/bookings/booking-search.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { toLikePattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  flagColumn,
  instantColumn,
  nullableColumn,
  numberColumn,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { COUNTED_ROWS_MAX, type RowsWithTotal, type Slice } from '../../../reads/rows/slices.ts'
import { selectBoundedRows } from '../../pages/search/bounded-list.ts'
import type { Order } from '../../pages/ui/sorting.ts'

export const missingBooking = message`This booking does not exist, or it has been cancelled.`

const BOOKING_COLUMNS = {
  id: numberColumn('bookings.id'),
  ...rows.CLAIM_SPAN_COLUMNS,
  guest: nullableColumn(textColumn('coalesce(bookings.guest_name, bookings.guest_email)')),
  guestName: nullableColumn(textColumn('bookings.guest_name')),
  guestEmail: nullableColumn(textColumn('bookings.guest_email')),
  info: nullableColumn(textColumn('bookings.booking_info')),
  plate: nullableColumn(textColumn('bookings.license_plate')),
  vehicleId: nullableColumn(numberColumn('bookings.vehicle_id')),
  releasedAt: nullableColumn(instantColumn('bookings.released_at')),
  createdAt: instantColumn('bookings.created_at'),
  checkInFrom: nullableColumn(instantColumn('bookings.check_in_from')),
  checkInUntil: nullableColumn(instantColumn('bookings.check_in_until')),
  checkedInAt: nullableColumn(instantColumn('bookings.checked_in_at')),
  userId: numberColumn('users.id'),
  user: textColumn('users.name'),
  email: textColumn('users.email'),
  isActive: flagColumn('users.deactivated_at IS NULL'),
  requiresVehicle: flagColumn('bookables.requires_vehicle'),
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type BookingRow = rows.RowOf<typeof BOOKING_COLUMNS>

const DETAIL_COLUMNS = { ...BOOKING_COLUMNS, version: textColumn(versionSql('bookings')) }
export type BookingDetails = rows.RowOf<typeof DETAIL_COLUMNS>

const BOOKING_JOINS = `JOIN users ON users.id = bookings.user_id ${rows.JOIN_BOOKABLES}`

/** Lists bookings. `rest` is the SQL after the tables: conditions, order and limit. */
export const listBookings = (reads: pg.Pool, rest: string, values: unknown[]): Promise<BookingRow[]> =>
  rows.selectRows(reads, BOOKING_COLUMNS, `bookings ${BOOKING_JOINS} ${rest}`, values)

export const findBooking = (reads: pg.Pool, id: number): Promise<BookingDetails | undefined> =>
  rows.selectRow(reads, DETAIL_COLUMNS, `bookings ${BOOKING_JOINS} WHERE bookings.id = $1`, [id])

export async function requireBooking(reads: pg.Pool, id: number): Promise<BookingDetails> {
  const found = await findBooking(reads, id)
  if (!found) throw new Refusal('not_found', missingBooking)
  return found
}

type BookingSearch = Omit<BookingFilters, 'person' | 'place'> & {
  person?: string | undefined
  place?: string | undefined
  from: string
  to: string
}

/** Converts a search to filters, which the workers accept too. */
export const toBookingFilters = ({
  person = '',
  place = '',
  ...others
}: Omit<BookingSearch, 'from' | 'to'>) => {
  const patterns = (words: string) => rows.splitSearchWords(words).map(toLikePattern)
  return { ...others, person: patterns(person), place: patterns(place) }
}

export const BOOKING_ORDERS = {
  from: 'lower(bookings.during)',
  until: "coalesce(upper(bookings.during), 'infinity')",
  person: 'lower(users.name)',
  bookable: naturalSql('bookables.name'),
  location: naturalSql("locations.name || ' ' || buildings.name"),
}
type BookingOrder = Order<keyof typeof BOOKING_ORDERS>
const BY_START: BookingOrder = { key: 'from', isDescending: false }

// The maximum number of matching users for finding bookings by user. If more users match, bookings are found
// by time.
const MATCHING_USERS_MAX = 200

export async function searchBookings(
  reads: pg.Pool,
  search: BookingSearch,
  slice: Slice,
  order: BookingOrder = BY_START,
): Promise<RowsWithTotal<BookingRow>> {
  const found = await findMatching(reads, search, order)
  if (!found) return { rows: [], total: 0 }
  const list = { table: 'bookings', joins: BOOKING_JOINS, ...found, keys: BOOKING_ORDERS, order, slice }
  return selectBoundedRows(reads, BOOKING_COLUMNS, list)
}

/** Returns the text after FROM that finds the bookings, and its conditions. Returns undefined if no person matches. */
async function findMatching(reads: pg.Pool, search: BookingSearch, order: BookingOrder) {
  const users = await findUserIds(reads, search)
  if (users?.length === 0) return undefined
  const conditions = new rows.SqlConditions()
  const bounds = { from: conditions.bind(search.from), to: conditions.bind(search.to), order }
  const filters = bookingConditionsSql(toBookingFilters(search), (value) => conditions.bind(value))
  for (const filter of filters) conditions.add(filter)
  const source = users
    ? selectBookingsOfUsers(conditions.bind(users), bounds)
    : selectBookingsOfPeriod(search, bounds)
  const needsOthers = !hasNoFilters(search) || (order.key !== 'from' && order.key !== 'until')
  return { from: `(${source}) AS bookings ${needsOthers ? BOOKING_JOINS : ''}`, conditions }
}

export type CameCounts = Record<Came, number> & { hasMore: boolean }

/**
 * Counts how many of the found bookings were checked in, missed and so on, among the first COUNTED_ROWS_MAX, and says
 * whether there are more.
 */
export async function countCame(reads: pg.Pool, search: BookingSearch): Promise<CameCounts> {
  const found = await findMatching(reads, search, BY_START)
  const columns = CAME_VALUES.map(
    (each) =>
      `count(*) FILTER (WHERE ordinal <= ${COUNTED_ROWS_MAX} AND ${CAME_CONDITIONS[each]})::int AS ${each}`,
  )
  if (!found) return { came: 0, missed: 0, open: 0, unused: 0, hasMore: false }
  const counted = `SELECT ${columns.join(', ')}, count(*) > ${COUNTED_ROWS_MAX} AS "hasMore" FROM (
    SELECT found.*, row_number() OVER (ORDER BY lower(during), id) AS ordinal FROM (
      SELECT bookings.* FROM ${found.from} WHERE ${found.conditions.sql}
      ORDER BY lower(bookings.during), bookings.id LIMIT ${COUNTED_ROWS_MAX + 1}) AS found) AS bookings`
  return getOnlyRow(await rows.listRows<CameCounts>(reads, counted, found.conditions.values))
}

type SearchBounds = { from: string; to: string; order: BookingOrder }

const hasNoFilters = ({ from, to, ...filters }: BookingSearch) =>
  Object.values(filters).every((filter) => filter === undefined)

/** Returns undefined if the search is not about people, or if too many people match. */
async function findUserIds(reads: pg.Pool, { person, group }: BookingSearch): Promise<number[] | undefined> {
  if (person === undefined && group === undefined) return undefined
  const conditions = new rows.SqlConditions()
  if (group !== undefined) conditions.add(isGroupMemberSql(conditions.bind(group)))
  if (person !== undefined) await conditions.addUserSearch(reads, person)
  const from = `users WHERE ${conditions.sql} LIMIT ${MATCHING_USERS_MAX + 1}`
  const found = await rows.selectRows(reads, { id: numberColumn('id') }, from, conditions.values)
  return found.length > MATCHING_USERS_MAX ? undefined : found.map(({ id }) => id)
}

function selectBookingsOfUsers(users: string, { from, to }: SearchBounds): string {
  return `SELECT * FROM bookings
    WHERE user_id = ANY(${users}) AND lower(during) < ${to} AND during && tstzrange(${from}, ${to})`
}

/** Selects the bookings of a period. Without other filters, this reads no more rows than are counted. */
function selectBookingsOfPeriod(search: BookingSearch, { order, ...bounds }: SearchBounds): string {
  const direction = order.key === 'from' && order.isDescending ? ' DESC' : ''
  const first = `ORDER BY lower(during)${direction}, id${direction} LIMIT ${COUNTED_ROWS_MAX + 1}`
  return bookingsBetweenSql(bounds, hasNoFilters(search) ? first : '')
}

const OPEN_COUNT_COLUMNS = {
  requests: numberColumn(`(SELECT count(*)::int FROM holds WHERE kind = 'request' AND state = 'pending')`),
  waits: numberColumn(
    '(SELECT count(*)::int FROM waits WHERE ended_at IS NULL AND upper(during) > $1::timestamptz)',
  ),
}

/** Counts the requests that wait for an approver, and the people on waitlists. */
export async function countRequestsAndWaitlist(
  reads: pg.Pool,
  now: string,
): Promise<rows.RowOf<typeof OPEN_COUNT_COLUMNS>> {
  const found = await rows.selectRow(reads, OPEN_COUNT_COLUMNS, '(SELECT) AS one', [now])
  return found ?? { requests: 0, waits: 0 }
}
