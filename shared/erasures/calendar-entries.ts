// Removes an erased user from the stored entries of room calendars. Upkeep later searches for their names in all entries
// (workers/pollers/erasures/search.ts).
import type { Knex } from 'knex'

/** SQL for `calendar_entries.seen` without what names people. */
export const SEEN_WITHOUT_CONTENT_SQL = `seen || '{"title": "", "organizer": null, "attendees": []}'`
/** SQL for `calendar_entries.base` without what names people. The writer then compares and writes the entry anew. */
export const BASE_WITHOUT_CONTENT_SQL = `(base - 'organizer' - 'invited') || '{"title": "", "text": ""}'`

// Only entries that are not applied, and conflicts, have people. Both have an index.
const NAMES_USER_SQL = `(pending_since IS NOT NULL OR conflict IS NOT NULL) AND EXISTS (
  SELECT FROM jsonb_array_elements(jsonb_build_array(seen -> 'organizer') || coalesce(seen -> 'attendees', '[]')) AS person
  WHERE lower(person ->> 'address') = (SELECT lower(email) FROM users WHERE id = :id))`

const WAS_WRITTEN_FOR_USER_SQL = `key IS NOT NULL AND (booking_id IN (SELECT id FROM bookings WHERE user_id = :id)
  OR event_id IN (SELECT id FROM events WHERE organizer_user_id = :id))`

// The entry stays in the calendar of the organizer, and Berth forgets whose it is.
const FORGET_ORGANIZER_SQL = `
  UPDATE organizer_entries SET people = array_remove(people, lower(users.email)),
    is_missing = is_missing OR mailbox = lower(users.email),
    mailbox = CASE WHEN mailbox = lower(users.email) THEN 'erased' ELSE mailbox END
  FROM users WHERE users.id = :id AND (mailbox = lower(users.email) OR lower(users.email) = ANY (people))`

/** Locks and changes the entries. The entries of calendars come before the events (docs/decisions/0005). */
export async function forgetUserInCalendars(trx: Knex.Transaction, id: number): Promise<void> {
  await trx.raw(
    `UPDATE calendar_entries SET seen = ${SEEN_WITHOUT_CONTENT_SQL},
       base = CASE WHEN key IS NULL THEN base ELSE ${BASE_WITHOUT_CONTENT_SQL} END
     WHERE id = ANY (ARRAY(
       SELECT id FROM calendar_entries WHERE (${NAMES_USER_SQL}) OR (${WAS_WRITTEN_FOR_USER_SQL}) ORDER BY id FOR UPDATE))`,
    { id },
  )
  await trx.raw(FORGET_ORGANIZER_SQL, { id })
}
