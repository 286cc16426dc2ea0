// Releases the bookings of deactivated users: future ones are deleted, running ones end now. At once, or in
// pieces, which also release affected claims that are too many for one write.
import { refuseDuringImport, waitForImport } from '../../../shared/imports/import-lock.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type AuditedRow, type Handlers, UNFINISHED, type Write } from '../../runtime/write.ts'
import { releasePiece } from '../claims/releases.ts'
import { filterToTokenBuildings } from '../rows/preconditions.ts'

// Takes some tenths of a second, which is the longest that other bookings there wait.
const PIECE = 500

export type HeldBooking = AuditedRow & { runs: boolean }

export const releaseHandlers: Handlers<`bookings.${'cancel' | 'release' | 'release-all'}`> = {
  /** Those that are over, or cancelled meanwhile, stay as they are. The rooms of events are cancelled with them. */
  async 'bookings.cancel'(write, input) {
    const ids = await filterToTokenBuildings(write, 'bookings', [...new Set(input.ids)])
    const held = await write.all<HeldBooking>(
      `SELECT id, to_jsonb(bookings) AS row, lower(during) < :now AS runs FROM bookings
       WHERE id = ANY(CAST(:ids AS bigint[])) AND event_id IS NULL
         AND during && tstzrange(:now, NULL) AND released_at IS NULL
         AND user_id = coalesce(CAST(:owner AS bigint), user_id)
       ORDER BY id FOR UPDATE`,
      { ids, now: write.now, owner: write.userId ?? null },
    )
    const done = await cancelBookings(write, held)
    const cancelled = new Set(held.map(({ id }) => id))
    return { data: { ...done, kept: input.ids.filter((id) => !cancelled.has(id)) } }
  },

  /** The bookings of the named users, or of all deactivated ones. */
  async 'bookings.release'(write, { user_ids }) {
    await refuseDuringImport(write.trx)
    if (user_ids) await refuseActive(write, user_ids)
    const { held, ended } = await releaseHeld(write, { userIds: user_ids ?? null })
    return { data: { deleted: held.length - ended.length, ended: ended.length } }
  },

  /** Releases one piece of what existed when it was requested, and counts it in the row of its job. */
  async 'bookings.release-all'(write, { user_ids, taking, expected }) {
    await waitForImport(write.trx)
    // The job may have waited, and takes time: what is running is decided now.
    const moment = `SELECT ${timestampText('clock_timestamp()')} AS now`
    const current = { ...write, ...(await write.only<{ now: string }>(moment, [])) }
    const askedAt = write.now
    const held = { userIds: user_ids ?? null, deactivatedBefore: askedAt, limit: PIECE }
    const { found, released } = taking
      ? await releasePiece(current, { ...taking, bookedBefore: askedAt }, PIECE)
      : await releaseHeld(current, held)
    const data = await write.only<{ released: number }>(
      `UPDATE jobs SET state = 'running', rows_read = coalesce(rows_read, 0) + :number,
         progress = least(99, 100 * (coalesce(rows_read, 0) + :number) / greatest(:expected, 1))
       WHERE id = :attempt RETURNING rows_read AS released`,
      { number: released, expected, attempt: write.attempt },
    )
    return found === PIECE ? UNFINISHED : { data }
  },
}

async function releaseHeld(write: Write, asked: Asked) {
  const locked = await lockHeldBookings(write, asked)
  const within = new Set(
    await filterToTokenBuildings(
      write,
      'bookings',
      locked.map(({ id }) => id),
    ),
  )
  const held = locked.filter(({ id }) => within.has(id))
  const { ended, former } = await endOrDeleteBookings(write, held)
  await write.auditRows('bookings.release', former, { before: held, after: ended })
  return { held, ended, found: held.length, released: held.length }
}

/** Running ones end now, the others are deleted. Returns the rows of the former, and the former state of all. */
async function endOrDeleteBookings(write: Write, held: HeldBooking[]) {
  const idsOf = (some: HeldBooking[]) => some.map(({ id }) => id)
  const former = await write.readFormer('bookings', idsOf(held))
  // A claim that gets shorter cannot cause a conflict.
  const ended = await write.all<AuditedRow>(
    `UPDATE bookings SET during = tstzrange(lower(during), ?), updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING id, to_jsonb(bookings) AS row`,
    [write.now, idsOf(held.filter(({ runs }) => runs))],
  )
  const future = idsOf(held.filter(({ runs }) => !runs))
  await write.run('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [future])
  return { ended, former }
}

/** The same with an entry in the audit log for each, as if they were changed and deleted one by one. */
export async function cancelBookings(write: Write, held: HeldBooking[]) {
  const { ended, former } = await endOrDeleteBookings(write, held)
  const running = held.filter(({ runs }) => runs)
  await write.auditRows('bookings.update', former, { before: running, after: ended })
  const future = held.filter(({ runs }) => !runs)
  await write.auditRows('bookings.delete', former, { before: future, after: [] })
  return { deleted: future.length, ended: ended.length }
}

async function refuseActive(write: Write, userIds: number[]): Promise<void> {
  const ids = await write.ids(
    `SELECT DISTINCT id FROM unnest(?::bigint[]) AS asked (id)
     WHERE id NOT IN (SELECT id FROM users WHERE id = ANY(?::bigint[]) AND deactivated_at IS NOT NULL)
     ORDER BY id`,
    [userIds, userIds],
  )
  const problems = ids.map((id) => message`There is no deactivated person with the id ${id}.`)
  if (problems[0] && userIds.length === 1) throw new Refusal('not_found', problems[0])
  if (problems.length > 0) throw invalid({ user_ids: problems })
}

type Asked = { userIds: number[] | null; deactivatedBefore?: string; limit?: number }

// In one statement, so that a user who is being restored keeps all bookings or loses all.
function lockHeldBookings(write: Write, { userIds, deactivatedBefore = 'infinity', limit }: Asked) {
  return write.all<HeldBooking>(
    `SELECT bookings.id, to_jsonb(bookings) AS row, lower(bookings.during) < :now AS runs
     FROM users JOIN bookings ON bookings.user_id = users.id
     WHERE users.deactivated_at <= :deactivatedBefore
       AND (CAST(:ids AS bigint[]) IS NULL OR users.id = ANY(CAST(:ids AS bigint[])))
       AND bookings.during && tstzrange(:now, NULL) AND bookings.released_at IS NULL
     ORDER BY bookings.id LIMIT :limit
     FOR UPDATE OF bookings`,
    { ids: userIds, now: write.now, deactivatedBefore, limit: limit ?? null },
  )
}
