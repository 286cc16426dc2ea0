// Drops mails that have become pointless while they waited: confirmations of bookings that people have long seen on their pages.
// A confirmation that corrects an entry in somebody's calendar is not one of them.
import type { Knex } from 'knex'

const CONFIRMED_WITHIN = "interval '1 hour'"
const DROPPED_MAX = 5_000

/** SQL: what a confirmation says of new bookings is out of date. */
export const isLate = (mails: string) =>
  `(${mails}.kind = 'confirmation' AND ${mails}.created_at < now() - ${CONFIRMED_WITHIN})`

const DROP = `
  DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE next_at <= now() AND sent_at IS NULL AND ${isLate('mails')}
      AND NOT EXISTS (SELECT FROM told_bookings AS told
        WHERE told.user_id = mails.user_id AND told.booking_id = ANY (mails.booking_ids) AND told.during IS NOT NULL)
    ORDER BY id LIMIT ${DROPPED_MAX} FOR UPDATE SKIP LOCKED)`

/** Returns how many it has dropped. */
export async function dropLateMails(database: Knex): Promise<number> {
  const { rowCount } = await database.raw(DROP)
  return rowCount
}

// Only mails of kinds that an earlier release may not know.
const TAKE_BACK = `
  UPDATE mails SET next_at = now(), taken_attempts = attempts
  WHERE attempts <> taken_attempts AND sent_at IS NULL AND next_at > now() AND next_at < now() + interval '2 minutes'
    AND num_nonnulls(booking_ids, hold_id) > 0`

/**
 * Makes mails due that a process of an earlier release has taken, which keeps for two minutes what it cannot send. If it is
 * sending one after all, it finds before the last line that it has lost it.
 */
export async function takeBackFromEarlierRelease(database: Knex): Promise<void> {
  await database.raw(TAKE_BACK)
}
