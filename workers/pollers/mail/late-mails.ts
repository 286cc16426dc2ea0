// Drops mails that became outdated while they waited: confirmations of bookings that people have long seen on their pages.
// Confirmations that correct an entry in somebody's calendar are kept.
import type { Knex } from 'knex'

const CONFIRMED_WITHIN = "interval '1 hour'"
const DROPPED_MAX = 5_000

/** SQL: whether a confirmation of new bookings is out of date. */
export const isLate = (mails: string) =>
  `(${mails}.kind = 'confirmation' AND ${mails}.created_at < now() - ${CONFIRMED_WITHIN})`

const DROP = `
  DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE next_at <= now() AND sent_at IS NULL AND ${isLate('mails')}
      AND NOT EXISTS (SELECT FROM told_bookings AS told
        WHERE told.user_id = mails.user_id AND told.booking_id = ANY (mails.booking_ids) AND told.during IS NOT NULL)
    ORDER BY id LIMIT ${DROPPED_MAX} FOR UPDATE SKIP LOCKED)`

/** Returns the number of dropped mails. */
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
 * Makes mails due again that a process of an earlier release has taken, because it keeps mails for two minutes that it cannot
 * send. If it does send one, it notices before the last line that the mail is no longer its own.
 */
export async function takeBackFromEarlierRelease(database: Knex): Promise<void> {
  await database.raw(TAKE_BACK)
}
