// Releases the bookings of deactivated users: future ones are deleted, running ones end now. At once, or in
// pieces, which also release many claims that are in the way.
import { auditEach, type ChangedRow } from '../../../shared/audit/audit.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { refuseDuringImport, waitForImport } from '../../../shared/imports/import-lock.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Transaction, UNFINISHED, type WorkContext } from '../../runtime/context.ts'
import { releasePiece } from '../claims/pieces.ts'

// Takes some tenths of a second, which is the longest that other bookings there wait.
const PIECE = 500

export type HeldBooking = { id: number; row: unknown; runs: boolean }
type Released = { changes: ChangedRow[]; former: Former }

/** Releases the bookings of the named users, or of all deactivated ones. */
export async function releaseBookings(
  trx: Transaction,
  { user_ids }: InputOf<'bookings.release'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.release'>> {
  await refuseDuringImport(trx)
  if (user_ids) await refuseActive(trx, user_ids)
  const changes = await releaseHeld(trx, { userIds: user_ids ?? null }, context)
  const ended = changes.filter(({ after }) => after !== undefined).length
  return { data: { deleted: changes.length - ended, ended } }
}

/** Releases one piece. The job's row counts the released bookings, in the same transaction. */
export async function releaseInPieces(
  trx: Transaction,
  input: InputOf<'bookings.release-all'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.release-all'> | typeof UNFINISHED> {
  await waitForImport(trx)
  // The job may have waited, and takes time: what is running is decided now.
  const moment = timestampText('clock_timestamp()')
  const { now } = onlyRow<{ now: string }>((await trx.raw(`SELECT ${moment} AS now`)).rows)
  const { found, released } = await releaseSome(trx, input, context.now, { ...context, now })
  const { rows } = await trx.raw(
    `UPDATE jobs SET state = 'running', rows_read = coalesce(rows_read, 0) + :number,
       progress = least(99, 100 * (coalesce(rows_read, 0) + :number) / greatest(:expected, 1))
     WHERE id = :attempt RETURNING rows_read AS released`,
    { number: released, expected: input.expected, attempt: context.attempt },
  )
  return found === PIECE ? UNFINISHED : { data: onlyRow(rows) }
}

// Only what existed when the release was requested.
async function releaseSome(
  trx: Transaction,
  { user_ids, taking }: InputOf<'bookings.release-all'>,
  askedAt: string,
  context: WorkContext,
): Promise<{ found: number; released: number }> {
  if (taking) return releasePiece(trx, { ...taking, bookedBefore: askedAt }, PIECE, context)
  const held = { userIds: user_ids ?? null, deactivatedBefore: askedAt, limit: PIECE }
  const { length } = await releaseHeld(trx, held, context)
  return { found: length, released: length }
}

async function releaseHeld(trx: Transaction, asked: Asked, context: WorkContext): Promise<ChangedRow[]> {
  const held = await lockHeldBookings(trx, asked, context.now)
  const { changes, former } = await endOrDeleteBookings(trx, held, context.now)
  await auditEach(trx, context, { action: 'bookings.release', resource: 'bookings' }, former, changes)
  return changes
}

/** Running ones end now, the others are deleted. Returns the audit data and the former state. */
export async function endOrDeleteBookings(
  trx: Transaction,
  held: HeldBooking[],
  now: string,
): Promise<Released> {
  const ids = held.map(({ id }) => id)
  const former = await readFormer(trx, 'bookings', ids)
  const ended = await endRunning(trx, held, now)
  await deleteFuture(trx, held)
  const changes = held.map(({ id, row, runs }) => ({
    id,
    before: row,
    ...(runs ? { after: ended.get(id) } : {}),
  }))
  return { changes, former }
}

async function refuseActive(trx: Transaction, userIds: number[]): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT DISTINCT id FROM unnest(?::bigint[]) AS asked (id)
     WHERE id NOT IN (SELECT id FROM users WHERE id = ANY(?::bigint[]) AND deactivated_at IS NOT NULL)
     ORDER BY id`,
    [userIds, userIds],
  )
  if (rows.length === 0) return
  throw invalid({
    user_ids: rows.map(({ id }: { id: number }) => message`There is no deactivated user with the id ${id}.`),
  })
}

type Asked = { userIds: number[] | null; deactivatedBefore?: string; limit?: number }

// In one statement, so that a user who is being restored keeps all bookings or loses all.
async function lockHeldBookings(
  trx: Transaction,
  { userIds, deactivatedBefore = 'infinity', limit }: Asked,
  now: string,
): Promise<HeldBooking[]> {
  const { rows } = await trx.raw(
    `SELECT bookings.id, to_jsonb(bookings) AS row, lower(bookings.during) < :now AS runs
     FROM users JOIN bookings ON bookings.user_id = users.id
     WHERE users.deactivated_at <= :deactivatedBefore
       AND (CAST(:ids AS bigint[]) IS NULL OR users.id = ANY(CAST(:ids AS bigint[])))
       AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL
     ORDER BY bookings.id LIMIT :limit
     FOR UPDATE OF bookings`,
    { ids: userIds, now, deactivatedBefore, limit: limit ?? null },
  )
  return rows
}

/** Returns the shortened rows, by id. A claim that gets shorter cannot cause a conflict. */
async function endRunning(trx: Transaction, held: HeldBooking[], now: string): Promise<Map<number, unknown>> {
  const ids = held.filter(({ runs }) => runs).map(({ id }) => id)
  const { rows } = await trx.raw(
    `UPDATE bookings SET during = tstzrange(lower(during), ?), updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING id, to_jsonb(bookings) AS row`,
    [now, ids],
  )
  return new Map(rows.map(({ id, row }: HeldBooking) => [id, row]))
}

async function deleteFuture(trx: Transaction, held: HeldBooking[]): Promise<void> {
  const ids = held.filter(({ runs }) => !runs).map(({ id }) => id)
  await trx.raw('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [ids])
}
