// Reads what the checks of a booking need, usually in one round trip: the bookable, the user, the vehicle and the
// rules. Most places have no rules, so usually none are read. Only assigned bookables need a second round
// trip, which reads who may book them.
import { FIRST_DAY_SQL, LAST_DAY_SQL } from '../../../shared/absences/absences-shape.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../../shared/database/database.ts'
import type { LentDays } from '../../../shared/loans/loans.ts'
import { lentDaysJson } from '../../../shared/loans/loans-shape.ts'
import { RULES_SQL, type RuleFacts, type RulesRow, toRuleFacts } from '../../../shared/rules/broken-rules.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import type { Write } from '../../runtime/write.ts'
import { toColumnArrays } from '../rows/rows.ts'

const { blocked, assigned } = BOOKABLE_STATUSES
const { parkingSpot, homeOffice } = BOOKABLE_TYPES

export type BookableFacts = {
  name: string
  type: number
  locationId: number
  isBlocked: boolean
  isAssigned: boolean
  isAssignedToUser: boolean
  /** The days on which the owner of the bookable lends it to everybody. Null if there are none. */
  lent: LentDays | null
  isParkingSpot: boolean
  isHomeOffice: boolean
  requiresVehicle: boolean
}
type LockedBookable = Omit<BookableFacts, 'isAssignedToUser' | 'lent'>
export type Vehicle = { id: number; licensePlate: string }
/** The absences of a user that are not over, and the time zone of the bookable. */
export type AbsenceFacts = { name: string; zone: string; days: Array<{ from: string; to: string }> }
export type BookingFacts = {
  bookable?: BookableFacts
  user?: { id: number }
  vehicle?: Vehicle
  rules?: RuleFacts | undefined
  away?: AbsenceFacts | undefined
}

type ClaimSubject = {
  bookable_id: number
  user_id: number
  user_vehicle_id?: number | null | undefined
  /** Set for events and for changes of bookings, because the rules then apply even to a user who is deactivated. */
  includesDeactivated?: boolean
}

// Locks the bookables against status changes until the bookings are inserted, and only then reads their assignees and
// rules: a statement that has waited for a lock sees the locked row as it is now, but all other rows as they were
// before. Users are not locked, because a lock on them would wait for a running import.
export const lockBookingFacts = (connection: Connection, subjects: ClaimSubject[]): Promise<BookingFacts[]> =>
  readBookingFacts(connection, subjects, { name: 'lock-bookables', lock: 'FOR SHARE' })

/** Reads the facts without locking anything, so they may become outdated immediately. The advantage is that
 * the read delays no other transaction. */
export const findBookingFacts = (connection: Connection, subjects: ClaimSubject[]): Promise<BookingFacts[]> =>
  readBookingFacts(connection, subjects, { name: 'find-bookables', lock: '' })

type LockOptions = { name: string; lock: string }

async function readBookingFacts(
  connection: Connection,
  subjects: ClaimSubject[],
  locking: LockOptions,
): Promise<BookingFacts[]> {
  const ids = subjects.map((subject) => subject.bookable_id)
  const [bookables, users] = await sendPipelined(
    connection,
    () => readBookables(connection, ids, locking),
    () => findUsers(connection, subjects),
  )
  const withAssignedBookable = subjects.filter(
    ({ bookable_id }, index) => users.has(index) && bookables.get(bookable_id)?.isAssigned,
  )
  const ownerships = await findOwnerships(connection, withAssignedBookable)
  return subjects.map((subject, index) => {
    const bookable = bookables.get(subject.bookable_id)
    const ownership = ownerships.get(subject) ?? UNASSIGNED
    return { ...(bookable && { bookable: { ...bookable, ...ownership } }), ...toUserFacts(users.get(index)) }
  })
}

/** Locks and reads the facts for moving a claim. */
export async function lockMovedClaimFacts(write: Write, subject: ClaimSubject): Promise<BookingFacts> {
  return getOnlyRow(await lockBookingFacts(await write.connection(), [subject]))
}

async function readBookables(
  connection: Connection,
  ids: number[],
  { name, lock }: LockOptions,
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

type Ownership = Pick<BookableFacts, 'isAssignedToUser' | 'lent'>
const UNASSIGNED: Ownership = { isAssignedToUser: false, lent: null }

/** Finds who may book assigned bookables. Usually none of the bookables is assigned, and then no query runs. */
async function findOwnerships(
  connection: Connection,
  subjects: ClaimSubject[],
): Promise<Map<ClaimSubject, Ownership>> {
  if (subjects.length === 0) return new Map()
  const { rows } = await connection.query<Ownership>({
    name: 'find-ownerships',
    text: `SELECT EXISTS (
             SELECT FROM bookable_assignees
             WHERE bookable_assignees.bookable_id = asked.bookable_id AND bookable_assignees.user_id = asked.user_id
           ) AS "isAssignedToUser", ${lentDaysJson('bookables.id')} AS lent
           FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS asked (bookable_id, user_id, ordinal)
           ${joinPlacesSql('asked.bookable_id')}
           ORDER BY ordinal`,
    values: toColumnArrays(subjects, ['bookable_id', 'user_id']),
  })
  return new Map(subjects.map((subject, index) => [subject, rows[index] ?? UNASSIGNED]))
}

// Reads the absences of the user that are not over in any time zone, or null. Most people have none.
const ABSENCES_SQL = `(SELECT json_agg(json_build_object('from', ${FIRST_DAY_SQL}, 'to', ${LAST_DAY_SQL}) ORDER BY days)
  FROM absences WHERE absences.user_id = users.id AND upper(days) >= current_date)`

async function findUsers(connection: Connection, subjects: ClaimSubject[]): Promise<Map<number, UserRow>> {
  const { rows } = await connection.query<UserRow>({
    name: 'find-booking-users',
    text: `SELECT ordinal, users.id, vehicles.id AS vehicle_id, vehicles.license_plate, ${RULES_SQL} AS rules,
             users.name, buildings.timezone AS zone, ${ABSENCES_SQL} AS days_away
           FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) WITH ORDINALITY
             AS asked (bookable_id, user_id, vehicle_id, includes_deactivated, ordinal)
           JOIN users ON users.id = asked.user_id AND (users.deactivated_at IS NULL OR asked.includes_deactivated)
           LEFT JOIN vehicles ON vehicles.user_id = users.id AND vehicles.id = asked.vehicle_id
           ${joinPlacesSql('asked.bookable_id')}`,
    values: [
      subjects.map((subject) => subject.bookable_id),
      subjects.map((subject) => subject.user_id),
      subjects.map((subject) => subject.user_vehicle_id ?? null),
      subjects.map((subject) => subject.includesDeactivated === true),
    ],
  })
  return new Map(rows.map((row) => [row.ordinal - 1, row]))
}

type UserRow = {
  ordinal: number
  id: number
  vehicle_id: number | null
  license_plate: string
  rules: RulesRow | null
  name: string
  zone: string | null
  days_away: AbsenceFacts['days'] | null
}

function toUserFacts(row: UserRow | undefined): Omit<BookingFacts, 'bookable'> {
  if (!row) return {}
  const { id, rules, name, zone, days_away: days } = row
  const away = days && zone !== null ? { name, zone, days } : undefined
  const facts = { user: { id }, rules: toRuleFacts(rules), away }
  if (row.vehicle_id === null) return facts
  return { ...facts, vehicle: { id: row.vehicle_id, licensePlate: row.license_plate } }
}

/** SQL joins for a statement that has a bookable's id and selects RULES_SQL. */
const joinPlacesSql = (bookableId: string) => `
  LEFT JOIN bookables ON bookables.id = ${bookableId}
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = locations.building_id`
