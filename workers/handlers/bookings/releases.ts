// What deactivated users still hold, given back: their future bookings are deleted, those that run end now. At once, or in pieces,
// as is much that is in the way of something.
import { auditEach, type ChangedRow } from '../../../shared/audit.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database.ts'
import { refuseDuringImport, waitForImport } from '../../../shared/import-lock.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/refusal.ts'
import { timestampText } from '../../../shared/shapes/json.ts'
import { type Transaction, UNFINISHED, type WorkContext } from '../../context.ts'
import { releasePiece } from '../in-the-way/pieces.ts'

// Some tenths of a second: so long does one who books there wait at most.
const PIECE = 500

export type HeldBooking = { id: number; row: unknown; runs: boolean }
type GivenBack = { changes: ChangedRow[]; former: Former }

/** Those named, or all who are deactivated. */
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

/** One piece of them. What has been released is counted in the row of the job, in the same transaction. */
export async function releaseInPieces(
  trx: Transaction,
  input: InputOf<'bookings.release-all'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.release-all'> | typeof UNFINISHED> {
  await waitForImport(trx)
  // The job may have waited, and takes its time: what runs is what runs now.
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

// Only what was there when somebody asked for it.
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
  const { changes, former } = await giveBack(trx, held, context.now)
  await auditEach(trx, context, { action: 'bookings.release', resource: 'bookings' }, former, changes)
  return changes
}

/** Those that run end now, the others are deleted. Returns what the audit log says of each, and what they were. */
export async function giveBack(trx: Transaction, held: HeldBooking[], now: string): Promise<GivenBack> {
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

// In one statement: who is restored at this moment keeps all, or has lost all.
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

/** Returns what they are now, by id. A claim that gets shorter is in nobody's way. */
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
