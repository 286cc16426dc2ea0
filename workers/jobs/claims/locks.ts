// The locks of claims. A write that moves claims, or makes several, locks all bookables concerned in the
// order of their ids, so that two such writes wait for each other instead of deadlocking. A write that makes
// one claim needs no lock. The order of all locks of a write: docs/decisions/0005.
import type { Connection } from '../../runtime/connection.ts'
import type { Transaction } from '../../runtime/context.ts'

// One statement, as an event may have hundreds of rooms. The inner query sorts, then the outer one locks.
const LOCK_CLAIMS = `
  SELECT pg_advisory_xact_lock(hashtextextended('bookable ' || id, 1))
  FROM (SELECT DISTINCT id FROM unnest(?::bigint[]) AS id ORDER BY id) AS in_order`

export async function lockClaims(trx: Transaction, bookableIds: number[]): Promise<void> {
  if (bookableIds.length === 0) return
  await trx.raw(LOCK_CLAIMS, [bookableIds])
}

/** For one new claim on each of these: locks only the bookables that occur more than once. */
export async function lockClaimsOfSeveral(connection: Connection, bookableIds: number[]): Promise<void> {
  const several = bookableIds.filter((id, index) => bookableIds.indexOf(id) !== index)
  if (several.length === 0) return
  await connection.query({ name: 'lock-claims', text: LOCK_CLAIMS.replace('?', '$1'), values: [several] })
}
