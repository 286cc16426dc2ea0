// For more claims than one write can release: the write that takes their bookables away accepts a job, which
// releases them in pieces. The bookables cannot be booked meanwhile.

import { acceptJob } from '../../runtime/async-jobs.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { CLAIMS_MAX, type ConflictSearch, countClaims, lockBookables, lockPiece } from './claims.ts'
import { lockClaims } from './locks.ts'
import { releaseClaims } from './releases.ts'

/** Returns false if the write can release them itself. */
export async function releaseLater(
  trx: Transaction,
  search: ConflictSearch,
  jobId: string,
  context: WorkContext,
): Promise<boolean> {
  const expected = await countClaims(trx, search, context.now)
  if (expected <= CLAIMS_MAX) return false
  // Bookings under way commit before the job is accepted, and no new ones begin.
  if (search.ids.length <= CLAIMS_MAX) await lockClaims(trx, search.ids)
  await lockBookables(trx, search.ids)
  const input = { taking: search, expected }
  await acceptJob(trx, 'bookings.release-all', { id: jobId, input, ability: 'user-write' }, context)
  return true
}

/** `found` is how many claims were looked at; fewer than the limit means that none are left. */
export async function releasePiece(
  trx: Transaction,
  search: ConflictSearch,
  limit: number,
  context: WorkContext,
): Promise<{ found: number; released: number }> {
  const { found, claims } = await lockPiece(trx, search, { now: context.now, limit })
  await releaseClaims(trx, claims, search.times, context)
  return { found, released: claims.length }
}
