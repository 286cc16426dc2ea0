// Drops mails that became outdated while they waited to be sent: confirmations of bookings that people have
// had time to see on their pages. Keeps confirmations that correct an entry in a person's calendar.
import type { Knex } from 'knex'

const CONFIRMATION_AGE_MAX = "interval '1 hour'"
const DROPPED_PER_RUN_MAX = 5_000

/** SQL condition that a confirmation of new bookings is out of date. */
export const isLate = (mails: string) =>
  `(${mails}.kind = 'confirmation' AND ${mails}.created_at < now() - ${CONFIRMATION_AGE_MAX})`

const DROP_SQL = `
  DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE next_at <= now() AND sent_at IS NULL AND ${isLate('mails')}
      AND NOT EXISTS (SELECT FROM told_bookings AS told
        WHERE told.user_id = mails.user_id AND told.booking_id = ANY (mails.booking_ids) AND told.during IS NOT NULL)
    ORDER BY id LIMIT ${DROPPED_PER_RUN_MAX} FOR UPDATE SKIP LOCKED)`

/** Drops outdated mails. Returns the number of dropped mails. */
export async function dropLateMails(database: Knex): Promise<number> {
  const { rowCount } = await database.raw(DROP_SQL)
  return rowCount
}

// SQL that makes mails due again that an earlier release has taken. Affects only kinds of mail that the earlier release
// may not know.
const TAKE_BACK_SQL = `
  UPDATE mails SET next_at = now(), taken_attempts = attempts
  WHERE attempts <> taken_attempts AND sent_at IS NULL AND next_at > now() AND next_at < now() + interval '2 minutes'
    AND num_nonnulls(booking_ids, hold_id, invitation_id, event_id) > 0`

/**
 * Makes mails due again that a process of an earlier release has taken, because such a process holds mails that it
 * cannot send for two minutes. If the process does send one of these mails, it notices before the last line that it no
 * longer holds the mail.
 */
export async function takeBackMailsFromEarlierRelease(database: Knex): Promise<void> {
  await database.raw(TAKE_BACK_SQL)
}
