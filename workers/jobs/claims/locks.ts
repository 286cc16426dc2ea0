// Locks bookables and their claims. A write that moves claims or creates several locks all its bookables in the order
// of their ids, so that two such writes wait for each other instead of deadlocking. A write that creates one claim
// needs no lock. docs/decisions/0005 contains the order of all locks in a write.
import { claimsSql } from '../../../shared/affected-bookings/claims.ts'
import { lockKeySql, waitForLockSql } from '../../../shared/database/locks.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { auditedRowSql, type LockedRow, lockRow, refuseUnknownIds } from '../rows/rows.ts'

// Locks the claims with one statement, because an event may have hundreds of rooms. The inner query sorts the
// bookables, and the outer one locks them.
const LOCK_CLAIMS_SQL = `
  SELECT ${waitForLockSql(lockKeySql('claims', 'id'))}
  FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) AS id ORDER BY id) AS in_order`

export async function lockClaims(write: Write, bookableIds: number[]): Promise<void> {
  await lockClaimsOnConnection(await write.connection(), bookableIds)
}

export async function lockClaimsOnConnection(connection: Connection, bookableIds: number[]): Promise<void> {
  if (bookableIds.length === 0) return
  await connection.query({ name: 'lock-claims', text: LOCK_CLAIMS_SQL, values: [bookableIds] })
}

/** Prepares new claims, one for each id. Locks only the bookables that occur more than once. */
export async function lockClaimsOfSeveral(connection: Connection, bookableIds: number[]): Promise<void> {
  const several = bookableIds.filter((id, index) => bookableIds.indexOf(id) !== index)
  await lockClaimsOnConnection(connection, several)
}

/**
 * Locks the claims of all bookables that the bookings are on or may move to, so that writes that swap the same bookings
 * wait for each other.
 */
export async function lockClaimsOfBookings(connection: Connection, ids: number[], wanted: number[]) {
  const present = 'SELECT bookable_id FROM bookings WHERE id = ANY($2::bigint[]) AND event_id IS NULL'
  const text = LOCK_CLAIMS_SQL.replace(
    'unnest($1::bigint[]) AS id',
    `(SELECT unnest($1::bigint[]) UNION ${present}) AS concerned (id)`,
  )
  await connection.query({ name: 'lock-claims-of-bookings', text, values: [wanted, ids] })
}

/** Locks the claims of the bookable, and then its row. The lock on the row prevents new claims. */
export async function lockBookable(write: Write, id: number): Promise<LockedRow> {
  await lockClaims(write, [id])
  return lockRow(write, 'bookables', id)
}

/**
 * Locks many bookables in the order of their ids. Their claims must already be locked. Refuses ids that do not exist.
 */
export async function lockBookables(
  write: Write,
  ids: number[],
  strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<AuditedRow[]> {
  const rows = await findBookables(write, ids, strength)
  refuseUnknownIds(ids, rows, 'desk or room')
  return rows
}

/**
 * Reads bookables without a lock. This allows the caller to refuse early, and to resolve affected bookings before
 * locking the rows.
 */
export function findBookables(write: Write, ids: number[], lock = ''): Promise<AuditedRow[]> {
  return write.all(
    `SELECT ${auditedRowSql('bookables')} FROM bookables
     WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id ${lock}`,
    [ids],
  )
}

/**
 * Refuses if the locked bookables are not the ones that were read before, because the bookings of new ones have not
 * been resolved.
 */
export function refuseChangedSinceRead(found: Array<{ id: number }>, read: number[]): void {
  if (found.every(({ id }) => read.includes(id))) return
  throw new Refusal(
    'in_use',
    message`Others are changing these bookings right now. Nothing was changed; try again.`,
  )
}

/**
 * SQL for the future claims that prevent changing or deleting a bookable, with :ids and :now. If a write runs late,
 * claims that ended after it arrived may have been released by then.
 */
export const FUTURE_CLAIMS_SQL = claimsSql(
  'bookings.bookable_id = ANY(CAST(:ids AS bigint[])) AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL',
)

/** Counts the future claims on each bookable. Bookables without future claims are absent from the result. */
export async function countFutureClaims(write: Write, ids: number[]): Promise<Map<number, number>> {
  const rows = await write.all<{ id: number; number: number }>(
    `SELECT bookable_id AS id, count(*)::int AS number FROM (${FUTURE_CLAIMS_SQL}) AS claims GROUP BY bookable_id`,
    { ids, now: write.now },
  )
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** SQL for the time zone of a bookable's building. */
export const zoneSql = (bookableId: string) => `(
  SELECT buildings.timezone FROM bookables AS placed
  JOIN locations ON locations.id = placed.location_id JOIN buildings ON buildings.id = locations.building_id
  WHERE placed.id = ${bookableId})`
