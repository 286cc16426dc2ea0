// The attendees of an event. Those who stay keep their answers, and visitors also their ids.
import { ATTENDEE_ROLES, ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import type { Transaction } from '../../runtime/context.ts'

/** A user, or a visitor by e-mail. */
export type Attendee = { userId: number | null; email: string | null }

// SQL with :organizer, for rows that have a user_id.
const isOrganizer = (row: string) => `${row}.user_id = :organizer`
const roleOf = (row: string) =>
  `CASE WHEN ${isOrganizer(row)} THEN ${ATTENDEE_ROLES.organizer} ELSE ${ATTENDEE_ROLES.attendee} END`
// The organizer has always accepted.
const statusOf = (row: string, otherwise: string | number) =>
  `CASE WHEN ${isOrganizer(row)} THEN ${ATTENDEE_STATUSES.accepted} ELSE ${otherwise} END`

/** Present attendees stay as they are. The event's row is locked. */
export async function insertAttendees(
  trx: Transaction,
  eventId: number,
  attendees: Attendee[],
  organizerId: number,
): Promise<void> {
  await trx.raw(
    `INSERT INTO event_attendees (event_id, user_id, email, visitor_id, role, status)
     SELECT :event, asked.user_id, asked.email,
       CASE WHEN asked.user_id IS NULL THEN nextval(pg_get_serial_sequence('users', 'id')) END,
       ${roleOf('asked')}, ${statusOf('asked', ATTENDEE_STATUSES.noAnswer)}
     FROM unnest(CAST(:users AS bigint[]), CAST(:emails AS text[])) WITH ORDINALITY AS asked (user_id, email, ordinal)
     WHERE NOT EXISTS (
       SELECT FROM event_attendees AS present
       WHERE present.event_id = :event
         AND (present.user_id = asked.user_id OR lower(present.email) = lower(asked.email))
     )
     ORDER BY asked.ordinal`,
    {
      event: eventId,
      organizer: organizerId,
      users: attendees.map(({ userId }) => userId),
      emails: attendees.map(({ email }) => email),
    },
  )
}

export async function replaceAttendees(
  trx: Transaction,
  eventId: number,
  attendees: Attendee[],
  organizerId: number,
): Promise<void> {
  const userIds = attendees.map(({ userId }) => userId).filter((id) => id !== null)
  const emails = attendees.map(({ email }) => email).filter((email) => email !== null)
  await trx.raw(
    `DELETE FROM event_attendees
     WHERE event_id = ? AND (user_id IS NULL OR user_id <> ALL(?::bigint[]))
       AND (email IS NULL OR lower(email) <> ALL(SELECT lower(unnest(?::text[]))))`,
    [eventId, userIds, emails],
  )
  await insertAttendees(trx, eventId, attendees, organizerId)
  // For those who stay, only the role may change, and with it the status of a new organizer.
  const [role, status] = [roleOf('event_attendees'), statusOf('event_attendees', 'status')]
  await trx.raw(
    `UPDATE event_attendees SET role = ${role}, status = ${status} WHERE event_id = :event AND role <> ${role}`,
    { event: eventId, organizer: organizerId },
  )
}
