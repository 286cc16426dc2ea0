// More claims than one write releases: the write that takes their bookables away leaves an accepted job, which releases them in
// pieces. Nobody can book them meanwhile.

import { acceptJob } from '../../async-jobs.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { lockClaims } from '../bookables/locks.ts'
import { CLAIMS_MAX, countClaims, lockBookables, lockPiece, type Taking } from './claims.ts'
import { releaseClaims } from './releases.ts'

/** False where the write can do it itself. */
export async function releaseLater(
  trx: Transaction,
  taking: Taking,
  jobId: string,
  context: WorkContext,
): Promise<boolean> {
  const expected = await countClaims(trx, taking, context.now)
  if (expected <= CLAIMS_MAX) return false
  // Whoever was booking there has done so before the job is accepted, and nobody else begins.
  if (taking.ids.length <= CLAIMS_MAX) await lockClaims(trx, taking.ids)
  await lockBookables(trx, taking.ids)
  const input = { taking, expected }
  await acceptJob(trx, 'bookings.release-all', { id: jobId, input, ability: 'user-write' }, context)
  return true
}

/** `found` is how many of them it looked at: none are left where these are fewer than the limit. */
export async function releasePiece(
  trx: Transaction,
  taking: Taking,
  limit: number,
  context: WorkContext,
): Promise<{ found: number; released: number }> {
  const { found, claims } = await lockPiece(trx, taking, { now: context.now, limit })
  await releaseClaims(trx, claims, taking.times, context)
  return { found, released: claims.length }
}
