// Queries for bookings: single bookings, lists, and a search by time, person and place. Rooms of events are claims
// too, but these queries do not include them.
import type pg from 'pg'
import {
  type BookingFilters,
  bookingConditions,
  bookingsBetween,
  membersOf,
} from '../../../../shared/bookings/booking-search.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { likePattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flag, instant, number, orNull, text } from '../../../reads/rows/rows.ts'
import { COUNTED_MAX, type Listed, type Slice } from '../../../reads/rows/slices.ts'
import { selectBounded } from '../../pages/search/bounded-list.ts'
import type { Order } from '../../pages/ui/sorting.ts'

export const missingBooking = message`This booking does not exist, or it has been cancelled.`

const BOOKING = {
  id: number('bookings.id'),
  ...rows.CLAIMED,
  guest: orNull(text('coalesce(bookings.guest_name, bookings.guest_email)')),
  guestName: orNull(text('bookings.guest_name')),
  guestEmail: orNull(text('bookings.guest_email')),
  info: orNull(text('bookings.booking_info')),
  plate: orNull(text('bookings.license_plate')),
  vehicleId: orNull(number('bookings.vehicle_id')),
  createdAt: instant('bookings.created_at'),
  checkInFrom: orNull(instant('bookings.check_in_from')),
  checkInUntil: orNull(instant('bookings.check_in_until')),
  checkedInAt: orNull(instant('bookings.checked_in_at')),
  userId: number('users.id'),
  user: text('users.name'),
  email: text('users.email'),
  isActive: flag('users.deactivated_at IS NULL'),
  requiresVehicle: flag('bookables.requires_vehicle'),
  ...rows.BOOKED,
}
export type BookingRow = rows.RowOf<typeof BOOKING>

const DETAILS = { ...BOOKING, version: text(versionSql('bookings')) }
export type BookingDetails = rows.RowOf<typeof DETAILS>

const JOINS = `JOIN users ON users.id = bookings.user_id ${rows.JOIN_BOOKABLES}`

/** `rest` follows the tables: conditions, order and limit. */
export const listBookings = (reads: pg.Pool, rest: string, values: unknown[]): Promise<BookingRow[]> =>
  rows.selectRows(reads, BOOKING, `bookings ${JOINS} ${rest}`, values)

export const findBooking = (reads: pg.Pool, id: number): Promise<BookingDetails | undefined> =>
  rows.selectRow(reads, DETAILS, `bookings ${JOINS} WHERE bookings.id = $1`, [id])

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

/** The filters of a search. The workers accept the same ones. */
export const filtersOf = ({ person = '', place = '', ...others }: Omit<BookingSearch, 'from' | 'to'>) => {
  const patterns = (words: string) => rows.wordsOf(words).map(likePattern)
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

// A search that matches at most this many users finds bookings by user, any other search by time.
const USERS_MAX = 200

export async function searchBookings(
  reads: pg.Pool,
  search: BookingSearch,
  slice: Slice,
  order: BookingOrder = { key: 'from', isDescending: false },
): Promise<Listed<BookingRow>> {
  const users = await findUserIds(reads, search)
  if (users?.length === 0) return { rows: [], total: 0 }
  const conditions = new rows.SqlConditions()
  const bounds = { from: conditions.bind(search.from), to: conditions.bind(search.to), order }
  const filters = bookingConditions(filtersOf(search), (value) => conditions.bind(value))
  for (const filter of filters) conditions.add(filter)
  const source = users ? bookingsOfUsers(conditions.bind(users), bounds) : bookingsOfPeriod(search, bounds)
  const needsOthers = !hasNoFilters(search) || (order.key !== 'from' && order.key !== 'until')
  const from = `(${source}) AS bookings ${needsOthers ? JOINS : ''}`
  const list = { table: 'bookings', joins: JOINS, from, conditions, keys: BOOKING_ORDERS, order, slice }
  return selectBounded(reads, BOOKING, list)
}

type Bounds = { from: string; to: string; order: BookingOrder }

const hasNoFilters = ({ from, to, ...filters }: BookingSearch) =>
  Object.values(filters).every((filter) => filter === undefined)

/** Returns undefined if the search is not about people, or if it matches too many. */
async function findUserIds(reads: pg.Pool, { person, group }: BookingSearch): Promise<number[] | undefined> {
  if (person === undefined && group === undefined) return undefined
  const conditions = new rows.SqlConditions()
  if (group !== undefined) conditions.add(membersOf(conditions.bind(group)))
  if (person !== undefined) await conditions.addUserSearch(reads, person)
  const from = `users WHERE ${conditions.sql} LIMIT ${USERS_MAX + 1}`
  const found = await rows.selectRows(reads, { id: number('id') }, from, conditions.values)
  return found.length > USERS_MAX ? undefined : found.map(({ id }) => id)
}

function bookingsOfUsers(users: string, { from, to }: Bounds): string {
  return `SELECT * FROM bookings
    WHERE user_id = ANY(${users}) AND lower(during) < ${to} AND during && tstzrange(${from}, ${to})`
}

/** A search without other filters reads no more rows than it counts. */
function bookingsOfPeriod(search: BookingSearch, { order, ...bounds }: Bounds): string {
  const direction = order.key === 'from' && order.isDescending ? ' DESC' : ''
  const first = `ORDER BY lower(during)${direction}, id${direction} LIMIT ${COUNTED_MAX + 1}`
  return bookingsBetween(bounds, hasNoFilters(search) ? first : '')
}

const OPEN = {
  requests: number(`(SELECT count(*)::int FROM holds WHERE kind = 'request' AND state = 'pending')`),
  waits: number(
    '(SELECT count(*)::int FROM waits WHERE ended_at IS NULL AND upper(during) > $1::timestamptz)',
  ),
}

/** The requests that wait for an approver, and the people who wait for a place. */
export async function countOpen(reads: pg.Pool, now: string): Promise<rows.RowOf<typeof OPEN>> {
  const found = await rows.selectRow(reads, OPEN, '(SELECT) AS one', [now])
  return found ?? { requests: 0, waits: 0 }
}
