// The user who stands for everyone who was erased: past bookings and events become this user's, so that they
// still count. A deactivated row of users that cannot be edited, restored or erased.
import type { Knex } from 'knex'
import { onlyRow } from '../database/database.ts'

/** The id; the row is created on first use. */
export async function ensureAnonymousUser(database: Knex): Promise<number> {
  const find = () => database.raw('SELECT id FROM users WHERE is_anonymous')
  const { rows } = await find()
  if (rows.length > 0) return rows[0].id
  // No company has addresses in this domain: see RFC 2606.
  await database.raw(
    `INSERT INTO users (name, email, deactivated_at, is_anonymous)
     VALUES ('Anonymous', 'anonymous-' || gen_random_uuid() || '@berth.invalid', now(), true)
     ON CONFLICT (is_anonymous) WHERE is_anonymous DO NOTHING`,
  )
  return onlyRow<{ id: number }>((await find()).rows).id
}

/** Removes the personal data of a booking. */
export const ANONYMIZE_BOOKING = `
  user_id = :anonymous, guest_name = NULL, guest_email = NULL, booking_info = NULL, vehicle_id = NULL,
  license_plate = NULL, updated_at = now()`

/** The same for an event, whose name and description may contain anyone's name. */
export const ANONYMIZE_EVENT =
  "organizer_user_id = :anonymous, name = 'Event', description = '', updated_at = now()"
