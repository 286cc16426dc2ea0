// The locks of claims: whoever moves claims, or makes several, holds those of all bookables concerned, taken in the order
// of the ids, so that two who want each other's bookables wait instead of deadlocking. Who makes one claim needs none.
// In which order all locks of a write are taken: docs/decisions/0005.
import type { Connection } from '../../connection.ts'
import type { Transaction } from '../../context.ts'

// In one statement: an event may have hundreds of rooms. The inner query sorts before the outer one locks.
const LOCK_CLAIMS = `
  SELECT pg_advisory_xact_lock(hashtextextended('bookable ' || id, 1))
  FROM (SELECT DISTINCT id FROM unnest(?::bigint[]) AS id ORDER BY id) AS in_order`

export async function lockClaims(trx: Transaction, bookableIds: number[]): Promise<void> {
  if (bookableIds.length === 0) return
  await trx.raw(LOCK_CLAIMS, [bookableIds])
}

/** For who makes one claim each of these: nothing, but for bookables that come more than once. */
export async function lockClaimsOfSeveral(connection: Connection, bookableIds: number[]): Promise<void> {
  const several = bookableIds.filter((id, index) => bookableIds.indexOf(id) !== index)
  if (several.length === 0) return
  await connection.query({ name: 'lock-claims', text: LOCK_CLAIMS.replace('?', '$1'), values: [several] })
}
