// Future claims, which are in the way of changing or deleting a bookable. The bookable stays locked against
// new claims and against claims being moved.
import { claimsOf } from '../../../shared/affected-bookings/claims.ts'
import type { Transaction } from '../../runtime/context.ts'
import { type AuditedRow, auditedRow, type LockedRow, lockRow, refuseUnknownIds } from '../kit/rows.ts'
import { lockClaims } from './locks.ts'

/** SQL with :ids and :now. A write that runs late may find claims released that ended after it arrived. */
export const FUTURE_CLAIMS = claimsOf(
  'bookings.bookable_id = ANY(CAST(:ids AS bigint[])) AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL',
)

export async function countFutureClaims(trx: Transaction, id: number, now: string): Promise<number> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM (${FUTURE_CLAIMS}) AS claims`, {
    ids: [id],
    now,
  })
  return rows[0].number
}

/** Locks its claims first and then its row, which keeps new claims out: see decision 5. */
export async function lockBookable(trx: Transaction, id: number): Promise<LockedRow> {
  await lockClaims(trx, [id])
  return lockRow(trx, 'bookables', id)
}

/** Locks many in the order of their ids. Their claims must be locked already. Refuses unknown ids. */
export async function lockBookables(
  trx: Transaction,
  ids: number[],
  strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<AuditedRow[]> {
  const { rows } = await trx.raw(
    `SELECT ${auditedRow('bookables')} FROM bookables
     WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id ${strength}`,
    [ids],
  )
  refuseUnknownIds(ids, rows, 'bookable')
  return rows
}
