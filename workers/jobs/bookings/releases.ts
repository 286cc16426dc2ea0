// Releases the bookings of deactivated users: deletes future ones and ends running ones, all at once or in batches. The
// batches also release affected claims that are too many for one write.
import { refuseDuringImport, waitForImport } from '../../../shared/imports/import-lock.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type AuditedRow, type Handlers, MORE_PIECES_LEFT, type Write } from '../../runtime/write.ts'
import { releasePieceOfClaims } from '../claims/releases.ts'
import { filterToTokenBuildings } from '../rows/preconditions.ts'

// The limit on bookings in a batch. Such a batch takes a few tenths of a second, and other bookings on the same
// bookables wait no longer than that.
const BOOKINGS_PER_PIECE = 500

export type HeldBooking = AuditedRow & { runs: boolean }

export const releaseHandlers: Handlers<`bookings.${'cancel' | 'release' | 'release-all'}`> = {
  /**
   * Cancels bookings, including rooms of their events. Bookings that are over, or that were cancelled in the meantime,
   * stay unchanged.
   */
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

  /** Releases the bookings of the given users, or of all deactivated users. */
  async 'bookings.release'(write, { user_ids }) {
    await refuseDuringImport(write.trx)
    if (user_ids) await refuseActiveUsers(write, user_ids)
    const { held, ended } = await releaseHeldBookings(write, { userIds: user_ids ?? null })
    return { data: { deleted: held.length - ended.length, ended: ended.length } }
  },

  /**
   * Releases one batch of the bookings that existed when somebody requested the release, and adds the number to the row
   * of the job.
   */
  async 'bookings.release-all'(write, { user_ids, taking, expected }) {
    await waitForImport(write.trx)
    // Which bookings are running depends on the current time and not on the time of the request, because the
    // job may have waited and takes time.
    const moment = `SELECT ${timestampText('clock_timestamp()')} AS now`
    const current = { ...write, ...(await write.only<{ now: string }>(moment, [])) }
    const askedAt = write.now
    const held = { userIds: user_ids ?? null, deactivatedBefore: askedAt, limit: BOOKINGS_PER_PIECE }
    const { found, released } = taking
      ? await releasePieceOfClaims(current, { ...taking, bookedBefore: askedAt }, BOOKINGS_PER_PIECE)
      : await releaseHeldBookings(current, held)
    const data = await write.only<{ released: number }>(
      `UPDATE jobs SET state = 'running', rows_read = coalesce(rows_read, 0) + :number,
         progress = least(99, 100 * (coalesce(rows_read, 0) + :number) / greatest(:expected, 1))
       WHERE id = :attempt RETURNING rows_read AS released`,
      { number: released, expected, attempt: write.attempt },
    )
    return found === BOOKINGS_PER_PIECE ? MORE_PIECES_LEFT : { data }
  },
}

async function releaseHeldBookings(write: Write, asked: HeldBookingSearch) {
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

/**
 * Ends running bookings now and deletes future ones. Returns the rows of the bookings that were ended, and the former
 * state of all bookings.
 */
async function endOrDeleteBookings(write: Write, held: HeldBooking[]) {
  const idsOf = (some: HeldBooking[]) => some.map(({ id }) => id)
  const former = await write.readFormer('bookings', idsOf(held))
  // A shorter claim cannot cause a conflict.
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

/** Ends or deletes bookings, with an audit log entry for each, as if each were changed separately. */
export async function cancelBookings(write: Write, held: HeldBooking[]) {
  const { ended, former } = await endOrDeleteBookings(write, held)
  const running = held.filter(({ runs }) => runs)
  await write.auditRows('bookings.update', former, { before: running, after: ended })
  const future = held.filter(({ runs }) => !runs)
  await write.auditRows('bookings.delete', former, { before: future, after: [] })
  return { deleted: future.length, ended: ended.length }
}

async function refuseActiveUsers(write: Write, userIds: number[]): Promise<void> {
  const ids = await write.ids(
    `SELECT DISTINCT id FROM unnest(?::bigint[]) AS asked (id)
     WHERE id NOT IN (SELECT id FROM users WHERE id = ANY(?::bigint[]) AND deactivated_at IS NOT NULL)
     ORDER BY id`,
    [userIds, userIds],
  )
  const problems = ids.map((id) => message`There is no deactivated person with the id ${id}.`)
  if (problems[0] && userIds.length === 1) throw new Refusal('not_found', problems[0])
  if (problems.length > 0) throw invalidFields({ user_ids: problems })
}

type HeldBookingSearch = { userIds: number[] | null; deactivatedBefore?: string; limit?: number }

// Locks bookings with a single statement, so that a user whom somebody restores at the same time keeps either all
// bookings or none.
function lockHeldBookings(
  write: Write,
  { userIds, deactivatedBefore = 'infinity', limit }: HeldBookingSearch,
) {
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
