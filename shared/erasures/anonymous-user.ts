// The user who stands for everybody who was forgotten: past bookings and events are theirs, so that they still count. A row
// of users, deactivated, which nobody can edit, restore or erase.
import type { Knex } from 'knex'
import { onlyRow } from '../database.ts'

/** Its id; it is created when it is first needed. */
export async function ensureAnonymousUser(database: Knex): Promise<number> {
  const find = () => database.raw('SELECT id FROM users WHERE is_anonymous')
  const { rows } = await find()
  if (rows.length > 0) return rows[0].id
  // No company has addresses there: see RFC 2606.
  await database.raw(
    `INSERT INTO users (name, email, deactivated_at, is_anonymous)
     VALUES ('Anonymous', 'anonymous-' || gen_random_uuid() || '@berth.invalid', now(), true)
     ON CONFLICT (is_anonymous) WHERE is_anonymous DO NOTHING`,
  )
  return onlyRow<{ id: number }>((await find()).rows).id
}

/** What a booking says of people, taken out of it. */
export const ANONYMIZE_BOOKING = `
  user_id = :anonymous, guest_name = NULL, guest_email = NULL, booking_info = NULL, vehicle_id = NULL,
  license_plate = NULL, updated_at = now()`

/** As a booking; its name and description may name anybody. */
export const ANONYMIZE_EVENT =
  "organizer_user_id = :anonymous, name = 'Event', description = '', updated_at = now()"
