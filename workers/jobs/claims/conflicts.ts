// Describes a conflict: which claim has the time (never whose it is), and which bookables are free instead.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { rulesAllow } from '../../../shared/rules/rules-shape.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import { zoneOf } from './locks.ts'

const ALTERNATIVES_MAX = 3
const { flexible, assigned } = BOOKABLE_STATUSES

/** Who wants which bookable, and when they ask. `id` is the booking to move; it never conflicts with itself. */
type Subject = { bookable_id: number; user_id: number; hasVehicle: boolean; now: string; id?: number }
export type TimeRange = { from: string; to: string }
export type OpenTimeRange = { from: string; to: string | null }
type ConflictingClaim = { name: string; from: string; to: string | null; zone: string }

/** Undefined if nothing conflicts any more. */
export async function findConflict(connection: Connection, subject: Subject, span: OpenTimeRange) {
  const [conflicting, alternatives] = await pipelined(
    connection,
    () => findConflictingClaim(connection, subject, span),
    () => findAlternatives(connection, subject, span),
  )
  if (!conflicting) return undefined
  const { name, ...when } = conflicting
  const { from, to } = when
  return new Refusal('booking_conflict', message`${name} is taken ${when}.`, {
    members: { conflict: { bookable_id: subject.bookable_id, from, to }, alternatives },
  })
}

async function findConflictingClaim(connection: Connection, subject: Subject, { from, to }: OpenTimeRange) {
  const { rows } = await connection.query<ConflictingClaim>({
    name: 'find-booking-in-the-way',
    text: `SELECT bookables.name, ${spanColumns('bookings')}, ${zoneOf('bookables.id')} AS zone
           FROM bookings
           JOIN bookables ON bookables.id = bookings.bookable_id
           WHERE bookings.bookable_id = $1 AND bookings.exclusive AND bookings.during && tstzrange($2, $3)
             AND bookings.id IS DISTINCT FROM $4
           ORDER BY lower(bookings.during)
           LIMIT 1`,
    values: [subject.bookable_id, from, to, subject.id ?? null],
  })
  return rows[0]
}

// Free for the whole time, and bookable for this user by all rules that do not count other bookings. Nearest
// numbers first, because neighbours mostly have neighbouring numbers. OFFSET 0 makes Postgres check
// availability in this order, and only until there are enough.
async function findAlternatives(connection: Connection, subject: Subject, { from, to }: OpenTimeRange) {
  const { rows } = await connection.query({
    name: 'find-alternatives',
    text: `SELECT bookables.id, bookables.name
           FROM (
             SELECT other.id, other.name, other.type, other.rules, other.location_id,
               abs(other.id - wanted.id) AS distance
             FROM bookables wanted
             JOIN bookables other ON other.location_id = wanted.location_id AND other.type = wanted.type
             WHERE wanted.id = $1
               AND other.id <> wanted.id
               AND other.deleted_at IS NULL
               AND (NOT other.requires_vehicle OR $2)
               AND (other.status = ${flexible} OR other.status = ${assigned} AND EXISTS (
                 SELECT FROM bookable_assignees
                 WHERE bookable_assignees.bookable_id = other.id AND bookable_assignees.user_id = $3
               ))
             ORDER BY distance, other.id OFFSET 0
           ) AS bookables
           JOIN locations ON locations.id = bookables.location_id
           JOIN buildings ON buildings.id = locations.building_id
           WHERE ${rulesAllow({ user: '$3', from: '$4', to: '$5', now: '$6' })}
             AND NOT EXISTS (
             SELECT FROM bookings
             WHERE bookings.bookable_id = bookables.id
               AND bookings.exclusive
               AND bookings.during && tstzrange($4, $5)
             OFFSET 0
           )
           ORDER BY bookables.distance, bookables.id
           LIMIT ${ALTERNATIVES_MAX}`,
    values: [subject.bookable_id, subject.hasVehicle, subject.user_id, from, to, subject.now],
  })
  return rows
}
