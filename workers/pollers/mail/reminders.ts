// Reminders to check in: once for each deadline, when half of the time for it is over.
import type { Knex } from 'knex'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlaces, PLACED } from './booking-mails.ts'
import type { Placed } from './words.ts'

/** A booking whose person still has to check in, or it is released. */
const IS_DUE = `check_in_until > now() + interval '1 minute' AND checked_in_at IS NULL AND released_at IS NULL
  AND during @> check_in_until`

// Half of the time since check-in has opened, or since the booking was made. No window is longer than two days.
const IS_HALF_OVER = `check_in_until < now() + interval '1 day'
  AND now() - greatest(check_in_from, bookings.created_at) >= check_in_until - now()`

const QUEUE = `
  INSERT INTO mails (kind, user_id, booking_ids, deadline)
  SELECT 'reminder', bookings.user_id, ARRAY[bookings.id], check_in_until
  FROM bookings JOIN users ON users.id = bookings.user_id AND users.deactivated_at IS NULL AND NOT users.is_anonymous
  LEFT JOIN person_settings ON person_settings.user_id = bookings.user_id
  WHERE ${IS_DUE} AND ${IS_HALF_OVER} AND NOT 'reminder' = ANY (coalesce(muted_mails, '{}'))
    AND NOT EXISTS (SELECT FROM mails AS sent
      WHERE sent.kind = 'reminder' AND sent.booking_ids = ARRAY[bookings.id] AND sent.deadline = check_in_until)
  ON CONFLICT DO NOTHING`

export async function queueReminders(database: Knex): Promise<void> {
  await database.raw(QUEUE)
}

export type Reminder = Placed & { from: string; to: string | null; until: string }

const FIND = `
  SELECT ${PLACED}, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
    ${timestampText('check_in_until')} AS until
  FROM bookings ${joinPlaces('bookings.bookable_id')}
  WHERE bookings.id = ANY (CAST(:ids AS bigint[])) AND bookings.user_id = :user AND check_in_until = :deadline AND ${IS_DUE}`

/** Undefined if nobody has to check in any more. */
export async function findReminder(
  database: Knex,
  about: { ids: number[]; user: number; deadline: string },
): Promise<Reminder | undefined> {
  const { rows } = await database.raw<{ rows: Reminder[] }>(FIND, about)
  return rows[0]
}
