// Releases the bookings of deactivated users: future ones are deleted, running ones end now. At once, or in
// pieces, which also release many claims that are in the way.

import { auditEach, type ChangedRow } from '../../../shared/audit/audit.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import { refuseDuringImport, waitForImport } from '../../../shared/imports/import-lock.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Handlers, type Transaction, UNFINISHED, type WorkContext } from '../../runtime/context.ts'
import { queryAll, queryIds, queryOnly } from '../../runtime/statements.ts'
import { releasePiece } from '../claims/releases.ts'

// Takes some tenths of a second, which is the longest that other bookings there wait.
const PIECE = 500

export type HeldBooking = { id: number; row: unknown; runs: boolean }

export const releaseHandlers: Handlers<'bookings.release' | 'bookings.release-all'> = {
  /** The bookings of the named users, or of all deactivated ones. */
  async 'bookings.release'(trx, { user_ids }, context) {
    await refuseDuringImport(trx)
    if (user_ids) await refuseActive(trx, user_ids)
    const changes = await releaseHeld(trx, { userIds: user_ids ?? null }, context)
    const ended = changes.filter(({ after }) => after !== undefined).length
    return { data: { deleted: changes.length - ended, ended } }
  },

  /**
   * Releases one piece of what existed when the release was requested. The job's row counts the released
   * bookings, in the same transaction.
   */
  async 'bookings.release-all'(trx, { user_ids, taking, expected }, context) {
    await waitForImport(trx)
    // The job may have waited, and takes time: what is running is decided now.
    const moment = `SELECT ${timestampText('clock_timestamp()')} AS now`
    const current = { ...context, ...(await queryOnly<{ now: string }>(trx, moment, [])) }
    const askedAt = context.now
    const held = { userIds: user_ids ?? null, deactivatedBefore: askedAt, limit: PIECE }
    const piece = taking
      ? await releasePiece(trx, { ...taking, bookedBefore: askedAt }, PIECE, current)
      : (await releaseHeld(trx, held, current)).length
    const { found, released } = typeof piece === 'number' ? { found: piece, released: piece } : piece
    const data = await queryOnly<{ released: number }>(
      trx,
      `UPDATE jobs SET state = 'running', rows_read = coalesce(rows_read, 0) + :number,
         progress = least(99, 100 * (coalesce(rows_read, 0) + :number) / greatest(:expected, 1))
       WHERE id = :attempt RETURNING rows_read AS released`,
      { number: released, expected, attempt: context.attempt },
    )
    return found === PIECE ? UNFINISHED : { data }
  },
}

async function releaseHeld(trx: Transaction, asked: Asked, context: WorkContext): Promise<ChangedRow[]> {
  const held = await lockHeldBookings(trx, asked, context.now)
  const { changes, former } = await endOrDeleteBookings(trx, held, context.now)
  await auditEach(trx, context, 'bookings.release', former, changes)
  return changes
}

/** Running ones end now, the others are deleted. Returns the audit data and the former state. */
export async function endOrDeleteBookings(
  trx: Transaction,
  held: HeldBooking[],
  now: string,
): Promise<{ changes: ChangedRow[]; former: Former }> {
  const idsOf = (some: HeldBooking[]) => some.map(({ id }) => id)
  const former = await readFormer(trx, 'bookings', idsOf(held))
  // A claim that gets shorter cannot cause a conflict.
  const ended = await queryAll<{ id: number; row: unknown }>(
    trx,
    `UPDATE bookings SET during = tstzrange(lower(during), ?), updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING id, to_jsonb(bookings) AS row`,
    [now, idsOf(held.filter(({ runs }) => runs))],
  )
  const future = idsOf(held.filter(({ runs }) => !runs))
  await trx.raw('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [future])
  const after = new Map(ended.map(({ id, row }) => [id, row]))
  const changes = held.map(({ id, row, runs }) => ({
    id,
    before: row,
    ...(runs ? { after: after.get(id) } : {}),
  }))
  return { changes, former }
}

async function refuseActive(trx: Transaction, userIds: number[]): Promise<void> {
  const ids = await queryIds(
    trx,
    `SELECT DISTINCT id FROM unnest(?::bigint[]) AS asked (id)
     WHERE id NOT IN (SELECT id FROM users WHERE id = ANY(?::bigint[]) AND deactivated_at IS NOT NULL)
     ORDER BY id`,
    [userIds, userIds],
  )
  if (ids.length === 0) return
  throw invalid({ user_ids: ids.map((id) => message`There is no deactivated user with the id ${id}.`) })
}

type Asked = { userIds: number[] | null; deactivatedBefore?: string; limit?: number }

// In one statement, so that a user who is being restored keeps all bookings or loses all.
function lockHeldBookings(
  trx: Transaction,
  { userIds, deactivatedBefore = 'infinity', limit }: Asked,
  now: string,
): Promise<HeldBooking[]> {
  return queryAll(
    trx,
    `SELECT bookings.id, to_jsonb(bookings) AS row, lower(bookings.during) < :now AS runs
     FROM users JOIN bookings ON bookings.user_id = users.id
     WHERE users.deactivated_at <= :deactivatedBefore
       AND (CAST(:ids AS bigint[]) IS NULL OR users.id = ANY(CAST(:ids AS bigint[])))
       AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL
     ORDER BY bookings.id LIMIT :limit
     FOR UPDATE OF bookings`,
    { ids: userIds, now, deactivatedBefore, limit: limit ?? null },
  )
}
