// Whoever moves claims, or makes several, holds the locks of their bookables meanwhile, taken in the order of the ids:
// two who want each other's places wait instead of deadlocking. Who makes one claim needs none of it.
import type { Transaction } from '../context.ts'

export async function lockBookables(trx: Transaction, ids: number[]): Promise<void> {
  const inOrder = [...new Set(ids)].sort((a, b) => a - b)
  for (const id of inOrder) {
    await trx.raw("SELECT pg_advisory_xact_lock(hashtextextended('bookable ' || ?::text, 1))", [id])
  }
}
