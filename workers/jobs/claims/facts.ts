// Reads what the checks of a booking need in one statement: bookable, user, vehicle and rules. Most places have
// no rules, and then none are read.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { RULES, type RuleFacts, type RulesRow, ruleFacts } from '../../../shared/rules/broken-rules.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import type { Write } from '../../runtime/write.ts'

const { blocked, assigned } = BOOKABLE_STATUSES
const { parkingSpot, homeOffice } = BOOKABLE_TYPES

export type BookableFacts = {
  name: string
  type: number
  locationId: number
  isBlocked: boolean
  isAssigned: boolean
  isAssignedToUser: boolean
  isParkingSpot: boolean
  isHomeOffice: boolean
  requiresVehicle: boolean
}
type LockedBookable = Omit<BookableFacts, 'isAssignedToUser'>
export type Vehicle = { id: number; licensePlate: string }
export type BookingFacts = {
  bookable?: BookableFacts
  user?: { id: number }
  vehicle?: Vehicle
  rules?: RuleFacts | undefined
}

type Subject = {
  bookable_id: number
  user_id: number
  user_vehicle_id?: number | null | undefined
  /** Of an event: rules apply also after the organizer was deactivated. */
  isOrganizer?: boolean
}

// Locks the bookables against status changes until the bookings are inserted, and only then reads their
// assignees and rules: a statement that has waited for a lock sees the locked row as it is now, but
// everything else as it was before. Users are only read, because a lock would wait behind an import.
export const lockBookingFacts = (connection: Connection, subjects: Subject[]): Promise<BookingFacts[]> =>
  readBookingFacts(connection, subjects, { name: 'lock-bookables', lock: 'FOR SHARE' })

/** Reads without a lock, so the facts may be out of date at once. A transaction that only reads delays nobody. */
export const findBookingFacts = (connection: Connection, subjects: Subject[]): Promise<BookingFacts[]> =>
  readBookingFacts(connection, subjects, { name: 'find-bookables', lock: '' })

type Locking = { name: string; lock: string }

async function readBookingFacts(
  connection: Connection,
  subjects: Subject[],
  locking: Locking,
): Promise<BookingFacts[]> {
  const ids = subjects.map((subject) => subject.bookable_id)
  const [bookables, users] = await pipelined(
    connection,
    () => readBookables(connection, ids, locking),
    () => findUsers(connection, subjects),
  )
  return subjects.map(({ bookable_id }, index) => {
    const user = users.get(index)
    const bookable = bookables.get(bookable_id)
    const isAssignedToUser = user?.has_bookable === true
    return { ...(bookable && { bookable: { ...bookable, isAssignedToUser } }), ...userFacts(user) }
  })
}

/** For a claim that is moved. */
export async function lockFacts(write: Write, subject: Subject): Promise<BookingFacts> {
  return onlyRow(await lockBookingFacts(await write.connection(), [subject]))
}

async function readBookables(
  connection: Connection,
  ids: number[],
  { name, lock }: Locking,
): Promise<Map<number, LockedBookable>> {
  const { rows } = await connection.query<LockedBookable & { id: number }>({
    name,
    text: `SELECT id, name, type, location_id AS "locationId", status = ${blocked} AS "isBlocked",
             status = ${assigned} AS "isAssigned", type = ${parkingSpot} AS "isParkingSpot",
             type = ${homeOffice} AS "isHomeOffice", requires_vehicle AS "requiresVehicle"
           FROM bookables
           WHERE id = ANY($1::bigint[]) AND deleted_at IS NULL
           ORDER BY id
           ${lock}`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

async function findUsers(connection: Connection, subjects: Subject[]): Promise<Map<number, UserRow>> {
  const { rows } = await connection.query<UserRow>({
    name: 'find-booking-users',
    text: `SELECT ordinal, users.id, vehicles.id AS vehicle_id, vehicles.license_plate, EXISTS (
             SELECT FROM bookable_assignees
             WHERE bookable_assignees.bookable_id = asked.bookable_id AND bookable_assignees.user_id = users.id
           ) AS has_bookable, ${RULES} AS rules
           FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) WITH ORDINALITY
             AS asked (bookable_id, user_id, vehicle_id, is_organizer, ordinal)
           JOIN users ON users.id = asked.user_id AND (users.deactivated_at IS NULL OR asked.is_organizer)
           LEFT JOIN vehicles ON vehicles.user_id = users.id AND vehicles.id = asked.vehicle_id
           ${joinPlaces('asked.bookable_id')}`,
    values: [
      subjects.map((subject) => subject.bookable_id),
      subjects.map((subject) => subject.user_id),
      subjects.map((subject) => subject.user_vehicle_id ?? null),
      subjects.map((subject) => subject.isOrganizer === true),
    ],
  })
  return new Map(rows.map((row) => [row.ordinal - 1, row]))
}

type UserRow = {
  ordinal: number
  id: number
  vehicle_id: number | null
  license_plate: string
  has_bookable: boolean
  rules: RulesRow | null
}

function userFacts(row: UserRow | undefined): Omit<BookingFacts, 'bookable'> {
  if (!row) return {}
  const facts = { user: { id: row.id }, rules: ruleFacts(row.rules) }
  if (row.vehicle_id === null) return facts
  return { ...facts, vehicle: { id: row.vehicle_id, licensePlate: row.license_plate } }
}

/** For a statement that has a bookable id and selects RULES. */
const joinPlaces = (bookableId: string) => `
  LEFT JOIN bookables ON bookables.id = ${bookableId}
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = locations.building_id`
