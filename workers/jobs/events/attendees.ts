// The attendees of events, as many as come together: an input becomes users, visitors and bookables, each of them once.
// Those who stay keep their answers, and visitors also their ids.
import { ATTENDEE_ROLES, ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import { arraysOf } from '../rows/rows.ts'
import {
  type Attendee,
  type Attending,
  findBookables,
  findUsers,
  type Invitation,
  type Match,
  matchedIds,
  visitorEmails,
} from './match-attendees.ts'

/** An event that is saved with these attendees. */
type Attended = { id: number; organizerId: number; attendees: Attendee[] }

const attendeeRows = (events: Attended[]) =>
  events.flatMap(({ id, organizerId, attendees }) => attendees.map((each) => ({ ...each, id, organizerId })))

// SQL for a row with a user_id, and the organizer of its event.
const roleOf = (row: string, organizer: string) =>
  `CASE WHEN ${row}.user_id = ${organizer} THEN ${ATTENDEE_ROLES.organizer} ELSE ${ATTENDEE_ROLES.attendee} END`
// The organizer has always accepted.
const statusOf = (row: string, organizer: string, otherwise: string | number) =>
  `CASE WHEN ${row}.user_id = ${organizer} THEN ${ATTENDEE_STATUSES.accepted} ELSE ${otherwise} END`

// A person who hides is a visitor for some callers, and has a visitor's id for them.
const HIDES = `EXISTS (
  SELECT FROM person_settings WHERE person_settings.user_id = asked.user_id AND visibility <> 'everybody')`

/** Present attendees stay as they are. The rows of the events are locked. */
export async function insertAttendees(connection: Connection, events: Attended[]): Promise<void> {
  await connection.query({
    name: 'insert-attendees',
    text: `
      INSERT INTO event_attendees (event_id, user_id, email, visitor_id, role, status)
      SELECT asked.event_id, asked.user_id, asked.email,
        CASE WHEN asked.user_id IS NULL OR ${HIDES} THEN nextval(pg_get_serial_sequence('users', 'id')) END,
        ${roleOf('asked', 'asked.organizer')}, ${statusOf('asked', 'asked.organizer', ATTENDEE_STATUSES.noAnswer)}
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) WITH ORDINALITY
        AS asked (event_id, organizer, user_id, email, ordinal)
      WHERE NOT EXISTS (
        SELECT FROM event_attendees AS present
        WHERE present.event_id = asked.event_id
          AND (present.user_id = asked.user_id OR lower(present.email) = lower(asked.email))
      )
      ORDER BY asked.ordinal`,
    values: arraysOf(attendeeRows(events), ['id', 'organizerId', 'userId', 'email']),
  })
}

export async function deleteOtherAttendees(connection: Connection, events: Attended[]): Promise<void> {
  await connection.query({
    name: 'delete-other-attendees',
    text: `
      WITH asked AS (
        SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS asked (event_id, user_id, email)
      )
      DELETE FROM event_attendees
      WHERE event_id = ANY($1::bigint[])
        AND (user_id IS NULL OR (event_id, user_id) NOT IN (
          SELECT asked.event_id, asked.user_id FROM asked WHERE asked.user_id IS NOT NULL))
        AND (email IS NULL OR (event_id, lower(email)) NOT IN (
          SELECT asked.event_id, lower(asked.email) FROM asked WHERE asked.email IS NOT NULL))`,
    values: [events.map(({ id }) => id), ...arraysOf(attendeeRows(events), ['id', 'userId', 'email'])],
  })
}

/** For those who stay, only the role may change, and with it the status of a new organizer. */
export async function updateRoles(connection: Connection, events: Attended[]): Promise<void> {
  const role = roleOf('event_attendees', 'asked.organizer')
  await connection.query({
    name: 'update-roles',
    text: `
      UPDATE event_attendees SET role = ${role}, status = ${statusOf('event_attendees', 'asked.organizer', 'status')}
      FROM unnest($1::bigint[], $2::bigint[]) AS asked (event_id, organizer)
      WHERE event_attendees.event_id = asked.event_id AND role <> ${role}`,
    values: arraysOf(events, ['id', 'organizerId']),
  })
}

/** In the order of the invitations. The organizer always attends. */
export async function findAttending(connection: Connection, invitations: Invitation[]): Promise<Attending[]> {
  const [users, bookables] = await pipelined(
    connection,
    () => findUsers(connection, invitations),
    () => findBookables(connection, invitations),
  )
  const matched = invitations.map((invitation, place) => {
    const { organizerId, kept } = invitation
    const keptIds = kept?.attendees.flatMap(({ userId }) => userId ?? []) ?? []
    const userIds = [...new Set([organizerId, ...keptIds, ...matchedIds(invitation, 'user', users[place])])]
    const rooms = [...(kept?.bookableIds ?? []), ...matchedIds(invitation, 'bookable', bookables[place])]
    return { userIds, bookableIds: [...new Set(rooms)].sort((a, b) => a - b) }
  })
  const visitors = await findVisitors(
    connection,
    invitations,
    users,
    matched.map(({ userIds }) => userIds),
  )
  return matched.map(({ userIds, bookableIds }, place) => {
    const emails = visitors.filter((each) => each.place === place).map(({ email }) => email)
    const people = userIds.map((userId): Attendee => ({ userId, email: null }))
    const attendees = people.concat(emails.map((email) => ({ userId: null, email })))
    return invitations[place]?.unchanged ?? { attendees, bookableIds }
  })
}

// Each visitor of an event once, in the spelling that came first. A visitor whose e-mail is a user's is that user.
async function findVisitors(
  connection: Connection,
  invitations: Invitation[],
  matches: Match[][],
  users: number[][],
) {
  const asked = invitations.flatMap((invitation, place) => {
    const keptEmails = invitation.kept?.attendees.flatMap(({ email }) => email ?? []) ?? []
    const emails = visitorEmails(invitation, matches[place])
    return [...keptEmails, ...emails].map((email) => ({ place, email }))
  })
  if (asked.length === 0) return []
  const attending = users.flatMap((ids, place) => ids.map((id) => ({ place, id })))
  const { rows } = await connection.query<{ place: number; email: string }>({
    name: 'find-visitors',
    text: `
      SELECT place, email FROM (
        SELECT DISTINCT ON (place, lower(email)) place, email, ordinal
        FROM unnest($1::integer[], $2::text[]) WITH ORDINALITY AS visitors (place, email, ordinal)
        ORDER BY place, lower(email), ordinal
      ) AS visitors
      WHERE (place, lower(email)) NOT IN (
        SELECT attending.place, lower(users.email)
        FROM unnest($3::integer[], $4::bigint[]) AS attending (place, id) JOIN users USING (id)
      )
      ORDER BY ordinal`,
    values: [...arraysOf(asked, ['place', 'email']), ...arraysOf(attending, ['place', 'id'])],
  })
  return rows
}
