// What deactivated users still hold, given back: their future bookings are deleted, those that run end now.
import { auditEach, type ChangedRow } from '../../../shared/audit.ts'
import { refuseDuringImport } from '../../../shared/import-lock.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { invalid } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'

export type HeldBooking = { id: number; row: unknown; runs: boolean }

/** Those named, or all who are deactivated. */
export async function releaseBookings(
  trx: Transaction,
  { user_ids }: InputOf<'bookings.release'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.release'>> {
  await refuseDuringImport(trx)
  if (user_ids) await refuseActive(trx, user_ids)
  const held = await lockHeldBookings(trx, user_ids ?? null, context.now)
  const changes = await giveBack(trx, held, context.now)
  await auditEach(trx, context, { action: 'bookings.release', resource: 'bookings' }, changes)
  const ended = changes.filter(({ after }) => after !== undefined).length
  return { data: { deleted: changes.length - ended, ended } }
}

/** Those that run end now, the others are deleted. Returns what the audit log says of each. */
export async function giveBack(trx: Transaction, held: HeldBooking[], now: string): Promise<ChangedRow[]> {
  const ended = await endRunning(trx, held, now)
  await deleteFuture(trx, held)
  return held.map(({ id, row, runs }) => ({ id, before: row, ...(runs ? { after: ended.get(id) } : {}) }))
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
    user_ids: rows.map(({ id }: { id: number }) => `There is no deactivated user with the id ${id}.`),
  })
}

// In one statement: who is restored at this moment keeps all, or has lost all.
async function lockHeldBookings(
  trx: Transaction,
  userIds: number[] | null,
  now: string,
): Promise<HeldBooking[]> {
  const { rows } = await trx.raw(
    `SELECT bookings.id, to_jsonb(bookings) AS row, lower(bookings.during) < :now AS runs
     FROM users JOIN bookings ON bookings.user_id = users.id
     WHERE users.deactivated_at IS NOT NULL
       AND (CAST(:ids AS bigint[]) IS NULL OR users.id = ANY(CAST(:ids AS bigint[])))
       AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL
     ORDER BY bookings.id
     FOR UPDATE OF bookings`,
    { ids: userIds, now },
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
