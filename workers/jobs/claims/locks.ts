// The locks of bookables and their claims. A write that moves claims, or makes several, locks all bookables
// concerned in the order of their ids, so that two such writes wait for each other instead of deadlocking. A
// write that makes one claim needs no lock. The order of all locks of a write: docs/decisions/0005.
import { claimsOf } from '../../../shared/affected-bookings/claims.ts'
import { lockOf, waitForLock } from '../../../shared/database/locks.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { auditedRow, type LockedRow, lockRow, refuseUnknownIds } from '../rows/rows.ts'

// One statement, as an event may have hundreds of rooms. The inner query sorts, then the outer one locks.
const LOCK_CLAIMS = `
  SELECT ${waitForLock(lockOf('claims', 'id'))}
  FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) AS id ORDER BY id) AS in_order`

export async function lockClaims(write: Write, bookableIds: number[]): Promise<void> {
  await lockClaimsOn(await write.connection(), bookableIds)
}

export async function lockClaimsOn(connection: Connection, bookableIds: number[]): Promise<void> {
  if (bookableIds.length === 0) return
  await connection.query({ name: 'lock-claims', text: LOCK_CLAIMS, values: [bookableIds] })
}

/** For one new claim on each of these: locks only the bookables that occur more than once. */
export async function lockClaimsOfSeveral(connection: Connection, bookableIds: number[]): Promise<void> {
  const several = bookableIds.filter((id, index) => bookableIds.indexOf(id) !== index)
  await lockClaimsOn(connection, several)
}

/** Locks the claims of all bookables that the bookings have and may move to, so that writes that swap desks wait. */
export async function lockClaimsOfBookings(connection: Connection, ids: number[], wanted: number[]) {
  const present = 'SELECT bookable_id FROM bookings WHERE id = ANY($2::bigint[]) AND event_id IS NULL'
  const text = LOCK_CLAIMS.replace(
    'unnest($1::bigint[]) AS id',
    `(SELECT unnest($1::bigint[]) UNION ${present}) AS concerned (id)`,
  )
  await connection.query({ name: 'lock-claims-of-bookings', text, values: [wanted, ids] })
}

/** Locks its claims first and then its row, which keeps new claims out. */
export async function lockBookable(write: Write, id: number): Promise<LockedRow> {
  await lockClaims(write, [id])
  return lockRow(write, 'bookables', id)
}

/** Locks many in the order of their ids. Their claims must be locked already. Refuses unknown ids. */
export async function lockBookables(
  write: Write,
  ids: number[],
  strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<AuditedRow[]> {
  const rows = await findBookables(write, ids, strength)
  refuseUnknownIds(ids, rows, 'desk or room')
  return rows
}

/** Reads without a lock, to resolve affected bookings before the rows are locked, and to refuse early. */
export function findBookables(write: Write, ids: number[], lock = ''): Promise<AuditedRow[]> {
  return write.all(
    `SELECT ${auditedRow('bookables')} FROM bookables
     WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id ${lock}`,
    [ids],
  )
}

/** The bookings of a bookable that changed between the read and the lock have not been resolved. */
export function refuseChangedSinceRead(found: Array<{ id: number }>, read: number[]): void {
  if (found.every(({ id }) => read.includes(id))) return
  throw new Refusal('in_use', message`Others are changing these right now. Nothing was changed: try again.`)
}

/**
 * SQL with :ids and :now: future claims, which prevent changing or deleting a bookable. A write that
 * runs late may find claims released that ended after it arrived.
 */
export const FUTURE_CLAIMS = claimsOf(
  'bookings.bookable_id = ANY(CAST(:ids AS bigint[])) AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL',
)

/** How many future claims each of these has; none is absent. */
export async function countFutureClaims(write: Write, ids: number[]): Promise<Map<number, number>> {
  const rows = await write.all<{ id: number; number: number }>(
    `SELECT bookable_id AS id, count(*)::int AS number FROM (${FUTURE_CLAIMS}) AS claims GROUP BY bookable_id`,
    { ids, now: write.now },
  )
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** SQL for the time zone of a bookable, which is that of its building. */
export const zoneOf = (bookableId: string) => `(
  SELECT buildings.timezone FROM bookables AS placed
  JOIN locations ON locations.id = placed.location_id JOIN buildings ON buildings.id = locations.building_id
  WHERE placed.id = ${bookableId})`
