// Queues reminders to check in: one for each check-in deadline, when half of the time before the deadline is over.
// People who are away get none.
import type { Knex } from 'knex'
import { isAwaySql } from '../../../shared/absences/absences-shape.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { zoneSql } from '../../jobs/claims/locks.ts'
import { joinPlacesSql, PLACE_SQL } from './booking-mails.ts'
import { type Channel, MAIL_CHANNEL } from './channels.ts'
import type { BookedPlace } from './words.ts'

/** SQL condition that the person still has to check in, or the booking will be released. */
const IS_DUE_SQL = `check_in_until > now() + interval '1 minute' AND checked_in_at IS NULL AND released_at IS NULL
  AND during @> check_in_until`

// SQL condition that half of the time is over between the deadline and when check-in opened or, if that was
// later, when the booking was made. No check-in window is longer than two days.
const IS_HALF_OVER_SQL = `check_in_until < now() + interval '1 day'
  AND now() - greatest(check_in_from, bookings.created_at) >= check_in_until - now()`

const queueSql = ({ queue, refusedKindsSql }: Channel) => `
  INSERT INTO ${queue} (kind, user_id, booking_ids, deadline)
  SELECT 'reminder', bookings.user_id, ARRAY[bookings.id], check_in_until
  FROM bookings JOIN users ON users.id = bookings.user_id AND users.deactivated_at IS NULL AND NOT users.is_anonymous
  LEFT JOIN person_settings ON person_settings.user_id = bookings.user_id
  WHERE ${IS_DUE_SQL} AND ${IS_HALF_OVER_SQL} AND NOT 'reminder' = ANY (${refusedKindsSql})
    AND NOT ${isAwaySql('bookings.user_id', `(check_in_until AT TIME ZONE ${zoneSql('bookings.bookable_id')})`)}
    AND NOT EXISTS (SELECT FROM ${queue} AS sent
      WHERE sent.kind = 'reminder' AND sent.booking_ids = ARRAY[bookings.id] AND sent.deadline = check_in_until)
  ON CONFLICT DO NOTHING`

export async function queueReminders(database: Knex, channel: Channel = MAIL_CHANNEL): Promise<void> {
  await database.raw(queueSql(channel))
}

export type Reminder = BookedPlace & { from: string; to: string | null; until: string }

const FIND_SQL = `
  SELECT ${PLACE_SQL}, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
    ${timestampText('check_in_until')} AS until
  FROM bookings ${joinPlacesSql('bookings.bookable_id')}
  WHERE bookings.id = ANY (CAST(:ids AS bigint[])) AND bookings.user_id = :user AND check_in_until = :deadline AND ${IS_DUE_SQL}`

/** Reads a reminder for its mail. Returns undefined if the person need not check in any more. */
export async function findReminder(
  database: Knex,
  about: { ids: number[]; user: number; deadline: string },
): Promise<Reminder | undefined> {
  const { rows } = await database.raw<{ rows: Reminder[] }>(FIND_SQL, about)
  return rows[0]
}
