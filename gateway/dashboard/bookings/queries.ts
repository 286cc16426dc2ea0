// Bookings as the dashboard lists them: of a time, narrowed down by who and where; and what is in the way of one. The
// rooms of events are claims too, but no bookings of this list.
import type pg from 'pg'
import { timestampJson } from '../../../shared/shapes/json.ts'
import { versionSql } from '../../../shared/shapes/versions.ts'
import { claimsOf } from '../../api/queries/claims.ts'
import { SqlConditions } from '../search/sql-conditions.ts'

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
  building: string
  zone: string
}

export type BookingDetails = BookingRow & { version: string }

export type BookingSearch = {
  person?: string | undefined
  place?: string | undefined
  building?: number | undefined
  from: string
  to: string
}

export type Slice = { offset: number; limit: number }

export type Holder = {
  booking: number | null
  event: number | null
  who: string
  from: string
  to: string | null
}

const FROM = timestampJson('lower(bookings.during)')
const TO = timestampJson('upper(bookings.during)')

const COLUMNS = `
  bookings.id, ${FROM} AS "from", ${TO} AS "to", coalesce(bookings.guest_name, bookings.guest_email) AS guest,
  bookings.guest_name AS "guestName", bookings.guest_email AS "guestEmail", bookings.booking_info AS info,
  bookings.license_plate AS plate, bookings.vehicle_id AS "vehicleId",
  ${timestampJson('bookings.created_at')} AS "createdAt",
  users.id AS "userId", users.name AS user, users.email, users.deactivated_at IS NULL AS "isActive",
  bookables.id AS "bookableId", bookables.name AS bookable, bookables.type,
  bookables.requires_vehicle AS "requiresVehicle", bookables.deleted_at IS NOT NULL AS "isDeleted",
  locations.name AS location, buildings.name AS building, buildings.timezone AS zone`

const PLACES = `
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

// The bookings of so many people are found by whose they are; where the words fit more, by their time.
const PEOPLE_MAX = 200

export async function searchBookings(
  reads: pg.Pool,
  search: BookingSearch,
  { offset, limit }: Slice,
): Promise<BookingRow[]> {
  const people = await fewPeople(reads, search.person)
  if (people?.length === 0) return []
  const conditions = new SqlConditions()
  const bounds = { from: conditions.bind(search.from), to: conditions.bind(search.to), rows: offset + limit }
  conditions.addSearch(search.person, PERSON)
  conditions.addSearch(search.place, ['bookables.name', 'locations.name', 'buildings.name'])
  if (search.building !== undefined) conditions.add(`buildings.id = ${conditions.bind(search.building)}`)
  const source = people ? ofPeople(conditions.bind(people), bounds) : ofTime(search, bounds)
  const { rows } = await reads.query<BookingRow>(
    `SELECT ${COLUMNS} FROM (${source}) AS bookings
     JOIN users ON users.id = bookings.user_id
     JOIN bookables ON bookables.id = bookings.bookable_id ${PLACES}
     WHERE ${conditions.sql}
     ORDER BY lower(bookings.during), bookings.id LIMIT ${limit} OFFSET ${offset}`,
    conditions.values,
  )
  return rows
}

type Bounds = { from: string; to: string; rows: number }

const PERSON = ['users.name', 'users.email']

/** Undefined where nobody is asked for, or where there are many. */
async function fewPeople(reads: pg.Pool, words: string | undefined): Promise<number[] | undefined> {
  if (words === undefined) return undefined
  const conditions = new SqlConditions()
  conditions.addSearch(words, PERSON)
  const { rows } = await reads.query<{ id: number }>(
    `SELECT id FROM users WHERE ${conditions.sql} LIMIT ${PEOPLE_MAX + 1}`,
    conditions.values,
  )
  return rows.length > PEOPLE_MAX ? undefined : rows.map(({ id }) => id)
}

function ofPeople(people: string, { from, to }: Bounds): string {
  return `SELECT * FROM bookings
    WHERE user_id = ANY(${people}) AND lower(during) < ${to} AND during && tstzrange(${from}, ${to})`
}

// What runs when the time begins, and what begins in it: each has an index, and so has a place. Where nothing else is
// asked for no more is looked at than is shown.
function ofTime({ person, place, building }: BookingSearch, { from, to, rows }: Bounds): string {
  const running = claimsOf(`bookings.during @> ${from}::timestamptz AND lower(bookings.during) < ${from}`)
  const isAll = person === undefined && place === undefined && building === undefined
  return `${running} UNION ALL (
    SELECT * FROM bookings
    WHERE user_id IS NOT NULL AND lower(during) >= ${from} AND lower(during) < ${to}
    ${isAll ? `ORDER BY lower(during), id LIMIT ${rows}` : ''})`
}

export async function findBooking(reads: pg.Pool, id: number): Promise<BookingDetails | undefined> {
  const { rows } = await reads.query<BookingDetails>(
    `SELECT ${COLUMNS}, ${versionSql('bookings')} AS version FROM bookings
     JOIN users ON users.id = bookings.user_id
     JOIN bookables ON bookables.id = bookings.bookable_id ${PLACES}
     WHERE bookings.id = $1`,
    [id],
  )
  return rows[0]
}

/** Who has these bookables at that time, the earliest first: people, or events with their organizers. */
export async function findHolders(
  reads: pg.Pool,
  { bookableIds, from, to }: { bookableIds: number[]; from: string; to: string | null },
  own: { booking?: number; event?: number } = {},
): Promise<Array<Holder & { bookable: string; zone: string }>> {
  const { rows } = await reads.query(
    `SELECT bookings.id AS booking, bookings.event_id AS event, ${FROM} AS "from", ${TO} AS "to",
       coalesce(users.name || ' (' || users.email || ')',
         'the event “' || events.name || '” (' || organizers.name || ')') AS who,
       bookables.name AS bookable, buildings.timezone AS zone
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id ${PLACES}
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.exclusive AND bookings.bookable_id = ANY($1) AND bookings.during && tstzrange($2, $3)
       AND bookings.id IS DISTINCT FROM $4 AND (bookings.event_id IS NULL OR bookings.event_id IS DISTINCT FROM $5)
     ORDER BY lower(bookings.during), bookings.id LIMIT 3`,
    [bookableIds, from, to, own.booking ?? null, own.event ?? null],
  )
  return rows
}
