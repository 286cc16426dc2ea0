// The people of an event: who stays keeps the attendee's id and the answer given.
import type { Transaction } from '../../context.ts'

export type Person = { userId: number | null; email: string | null }

export async function addPeople(trx: Transaction, eventId: number, people: Person[], organizerId: number) {
  await trx.raw(
    `INSERT INTO event_attendees (event_id, user_id, email, role, status)
     SELECT :event, people.user_id, people.email,
       CASE WHEN people.user_id = :organizer THEN 0 ELSE 1 END,
       CASE WHEN people.user_id = :organizer THEN 1 ELSE 0 END
     FROM unnest(CAST(:users AS bigint[]), CAST(:emails AS text[])) WITH ORDINALITY AS people (user_id, email, place)
     ORDER BY people.place
     ON CONFLICT DO NOTHING`,
    {
      event: eventId,
      organizer: organizerId,
      users: people.map(({ userId }) => userId),
      emails: people.map(({ email }) => email),
    },
  )
}

export async function replacePeople(
  trx: Transaction,
  eventId: number,
  people: Person[],
  organizerId: number,
) {
  const userIds = people.map(({ userId }) => userId).filter((id) => id !== null)
  const emails = people.map(({ email }) => email).filter((email) => email !== null)
  await trx.raw(
    `DELETE FROM event_attendees
     WHERE event_id = ? AND (user_id IS NULL OR user_id <> ALL(?::bigint[]))
       AND (email IS NULL OR lower(email) <> ALL(SELECT lower(unnest(?::text[]))))`,
    [eventId, userIds, emails],
  )
  await addPeople(trx, eventId, people, organizerId)
  // Only the role of those who stay may change; a new organizer has accepted.
  await trx.raw(
    `UPDATE event_attendees
     SET role = CASE WHEN user_id = :organizer THEN 0 ELSE 1 END,
       status = CASE WHEN user_id = :organizer THEN 1 ELSE status END
     WHERE event_id = :event AND role <> CASE WHEN user_id = :organizer THEN 0 ELSE 1 END`,
    { event: eventId, organizer: organizerId },
  )
}
