// Whoever moves claims, or makes several, holds the locks of their bookables meanwhile, taken in the order of the ids:
// two who want each other's places wait instead of deadlocking. Who makes one claim needs none of it.
import type { Transaction } from '../../context.ts'

// In one statement: an event may have hundreds of rooms. The inner query sorts before the outer one locks.
export async function lockBookables(trx: Transaction, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await trx.raw(
    `SELECT pg_advisory_xact_lock(hashtextextended('bookable ' || id, 1))
     FROM (SELECT DISTINCT id FROM unnest(?::bigint[]) AS id ORDER BY id) AS in_order`,
    [ids],
  )
}
