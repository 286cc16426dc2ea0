// Saves the attendees of events in batches. The attendees in an input become users, visitors and bookables, each of
// which attends once. Attendees who stay keep their acceptance status, and visitors also keep their ids.
import { ATTENDEE_ROLES, ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import { toColumnArrays } from '../rows/rows.ts'
import {
  type Attendee,
  type AttendeeMatch,
  type FoundAttendees,
  findBookables,
  findUsers,
  findVisitorInputs,
  getVisitorName,
  type Invitation,
  listMatchedIds,
} from './match-attendees.ts'
import type { AttendeeRow } from './present-events.ts'

/** An event, and the attendees whom it has after the write. */
type EventAttendees = { id: number; organizerId: number; attendees: Attendee[] }

const toAttendeeRows = (events: EventAttendees[]) =>
  events.flatMap(({ id, organizerId, attendees }) => attendees.map((each) => ({ ...each, id, organizerId })))

// SQL for the role of the user in a row, in an event with this organizer.
const roleSql = (row: string, organizer: string) =>
  `CASE WHEN ${row}.user_id = ${organizer} THEN ${ATTENDEE_ROLES.organizer} ELSE ${ATTENDEE_ROLES.attendee} END`
// SQL for the status of an attendee. The organizer always counts as having accepted.
const statusSql = (row: string, organizer: string, otherwise: string | number) =>
  `CASE WHEN ${row}.user_id = ${organizer} THEN ${ATTENDEE_STATUSES.accepted} ELSE ${otherwise} END`

// SQL condition that the user is hidden from some people. These people see the attendee as a visitor, so the
// attendee needs a visitor's id.
const HIDES_SQL = `EXISTS (
  SELECT FROM person_settings WHERE person_settings.user_id = asked.user_id AND visibility <> 'everybody')`

/**
 * Adds attendees to events, and leaves existing ones unchanged. The rows of the events must be locked. Leaves out people
 * whom another write has erased since this one found them. The result is the same as if they were erased afterwards.
 */
export async function insertAttendees(connection: Connection, events: EventAttendees[]): Promise<void> {
  await connection.query({
    name: 'insert-attendees',
    text: `
      WITH asked AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY
          AS asked (event_id, organizer, user_id, email, name, ordinal)
        -- Two conditions, because Postgres would compare each row with all attendees of its event for an OR.
        WHERE NOT EXISTS (
          SELECT FROM event_attendees AS present
          WHERE present.event_id = asked.event_id AND present.user_id = asked.user_id
        ) AND NOT EXISTS (
          SELECT FROM event_attendees AS present
          WHERE present.event_id = asked.event_id AND lower(present.email) = lower(asked.email)
        )
      ), people AS MATERIALIZED (
        SELECT id FROM users WHERE id IN (SELECT user_id FROM asked) ORDER BY id FOR KEY SHARE
      )
      INSERT INTO event_attendees (event_id, user_id, email, name, visitor_id, role, status)
      SELECT asked.event_id, asked.user_id, asked.email, asked.name,
        CASE WHEN asked.user_id IS NULL OR ${HIDES_SQL} THEN nextval(pg_get_serial_sequence('users', 'id')) END,
        ${roleSql('asked', 'asked.organizer')}, ${statusSql('asked', 'asked.organizer', ATTENDEE_STATUSES.noAnswer)}
      FROM asked
      WHERE asked.user_id IS NULL OR asked.user_id IN (SELECT id FROM people)
      ORDER BY asked.ordinal`,
    values: toColumnArrays(toAttendeeRows(events), ['id', 'organizerId', 'userId', 'email', 'name']),
  })
}

/** Deletes the attendees that the write does not name. If somebody invites them again, they start without an answer. */
export async function deleteOtherAttendees(connection: Connection, events: EventAttendees[]): Promise<void> {
  await connection.query({
    name: 'delete-other-attendees',
    text: `
      WITH asked AS (
        SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS asked (event_id, user_id, email)
      ), deleted AS (
        DELETE FROM event_attendees
        WHERE event_id = ANY($1::bigint[])
          AND (user_id IS NULL OR (event_id, user_id) NOT IN (
            SELECT asked.event_id, asked.user_id FROM asked WHERE asked.user_id IS NOT NULL))
          AND (email IS NULL OR (event_id, lower(email)) NOT IN (
            SELECT asked.event_id, lower(asked.email) FROM asked WHERE asked.email IS NOT NULL))
        RETURNING event_id, user_id, email
      )
      UPDATE invitations SET told_answer = ${ATTENDEE_STATUSES.noAnswer} FROM deleted
      WHERE invitations.event_id = deleted.event_id
        AND (invitations.user_id = deleted.user_id OR lower(invitations.email) = lower(deleted.email))`,
    values: [
      events.map(({ id }) => id),
      ...toColumnArrays(toAttendeeRows(events), ['id', 'userId', 'email']),
    ],
  })
}

/**
 * Updates attendees who stay: their role, the status of a new organizer, and the name of a visitor if the write has
 * one.
 */
export async function updateAttendees(connection: Connection, events: EventAttendees[]): Promise<void> {
  await Promise.all([updateRoles(connection, events), updateNames(connection, events)])
}

async function updateRoles(connection: Connection, events: EventAttendees[]): Promise<void> {
  const role = roleSql('event_attendees', 'asked.organizer')
  await connection.query({
    name: 'update-roles',
    text: `
      UPDATE event_attendees SET role = ${role}, status = ${statusSql('event_attendees', 'asked.organizer', 'status')}
      FROM unnest($1::bigint[], $2::bigint[]) AS asked (event_id, organizer)
      WHERE event_attendees.event_id = asked.event_id AND role <> ${role}`,
    values: toColumnArrays(events, ['id', 'organizerId']),
  })
}

async function updateNames(connection: Connection, events: EventAttendees[]): Promise<void> {
  const named = toAttendeeRows(events).filter(({ name }) => name !== null)
  if (named.length === 0) return
  await connection.query({
    name: 'update-attendee-names',
    text: `
      UPDATE event_attendees SET name = asked.name
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS asked (event_id, user_id, email, name)
      WHERE event_attendees.event_id = asked.event_id AND event_attendees.name IS DISTINCT FROM asked.name
        AND (event_attendees.user_id = asked.user_id OR lower(event_attendees.email) = lower(asked.email))`,
    values: toColumnArrays(named, ['id', 'userId', 'email', 'name']),
  })
}

/** Resets the answers of everybody except the organizer. The organizer then gets mails about the new answers. */
export async function resetAnswers(connection: Connection, events: EventAttendees[]): Promise<void> {
  if (events.length === 0) return
  await connection.query({
    name: 'reset-answers',
    text: `
      WITH forgotten AS (
        UPDATE invitations SET told_answer = ${ATTENDEE_STATUSES.noAnswer}
        WHERE event_id = ANY($1::bigint[])
      )
      UPDATE event_attendees SET status = ${ATTENDEE_STATUSES.noAnswer}, answered_at = NULL
      FROM unnest($1::bigint[], $2::bigint[]) AS asked (event_id, organizer)
      WHERE event_attendees.event_id = asked.event_id AND event_attendees.user_id IS DISTINCT FROM organizer
        AND status <> ${ATTENDEE_STATUSES.noAnswer}`,
    values: toColumnArrays(events, ['id', 'organizerId']),
  })
}

/**
 * Restores the former answers of attendees who have not answered again. The organizer gets no mails about these
 * answers.
 */
export async function restoreAnswers(
  connection: Connection,
  events: Array<EventAttendees & { answers?: AttendeeRow[] }>,
): Promise<void> {
  const answered = events.flatMap(({ id, answers = [] }) =>
    answers
      .filter(({ status }) => status !== ATTENDEE_STATUSES.noAnswer)
      .map((each) => ({ ...each, event: id, userId: each.user_id, answeredAt: each.answered_at ?? null })),
  )
  if (answered.length === 0) return
  const isSame = (table: string) => `${table}.event_id = was.event_id
    AND (${table}.user_id = was.user_id OR lower(${table}.email) = lower(was.email))`
  await connection.query({
    name: 'restore-answers',
    text: `
      WITH was AS (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[], $5::timestamptz[])
          AS was (event_id, user_id, email, status, answered_at)
      ), known AS (
        UPDATE invitations SET told_answer = was.status FROM was WHERE ${isSame('invitations')}
      )
      UPDATE event_attendees SET status = was.status, answered_at = was.answered_at FROM was
      WHERE ${isSame('event_attendees')} AND event_attendees.status = ${ATTENDEE_STATUSES.noAnswer}`,
    values: toColumnArrays(answered, ['event', 'userId', 'email', 'status', 'answeredAt']),
  })
}

/** Finds the attendees, in the order of the invitations. The organizer always attends. */
export async function findAttendees(
  connection: Connection,
  invitations: Invitation[],
): Promise<FoundAttendees[]> {
  const [users, bookables] = await sendPipelined(
    connection,
    () => findUsers(connection, invitations),
    () => findBookables(connection, invitations),
  )
  const matched = invitations.map((invitation, place) => {
    const { organizerId, kept } = invitation
    const keptIds = kept?.attendees.flatMap(({ userId }) => userId ?? []) ?? []
    const userIds = [
      ...new Set([organizerId, ...keptIds, ...listMatchedIds(invitation, 'user', users[place])]),
    ]
    const rooms = [...(kept?.bookableIds ?? []), ...listMatchedIds(invitation, 'bookable', bookables[place])]
    return { userIds, bookableIds: [...new Set(rooms)].sort((a, b) => a - b) }
  })
  const visitors = await findVisitors(
    connection,
    invitations,
    users,
    matched.map(({ userIds }) => userIds),
  )
  return matched.map(({ userIds, bookableIds }, place) => {
    const names = collectUserNames(invitations[place], users[place])
    const people = userIds.map(
      (userId): Attendee => ({ userId, email: null, name: names.get(userId) ?? null }),
    )
    const guests = visitors.filter((each) => each.place === place)
    const attendees = people.concat(guests.map(({ email, name }) => ({ userId: null, email, name })))
    return invitations[place]?.unchanged ?? { attendees, bookableIds }
  })
}

// The names that the person making the write entered for users who hide from them, and whom the person
// therefore sees as visitors.
function collectUserNames(
  invitation: Invitation | undefined,
  found: AttendeeMatch[] = [],
): Map<number, string> {
  const named = found.flatMap(({ ordinal, id, hidden }) => {
    const input = invitation?.input[ordinal]
    const name = hidden && input ? getVisitorName(input) : null
    return name === null ? [] : [[id, name] as const]
  })
  return new Map(named)
}

// Finds the visitors of an event, each once, with the spelling of the e-mail that came first. A visitor with the e-mail
// of a user becomes that user.
async function findVisitors(
  connection: Connection,
  invitations: Invitation[],
  matches: AttendeeMatch[][],
  users: number[][],
) {
  const asked = invitations.flatMap((invitation, place) => {
    const kept =
      invitation.kept?.attendees.flatMap(({ email, name }) => (email === null ? [] : [{ email, name }])) ?? []
    return [...kept, ...findVisitorInputs(invitation, matches[place])].map((each) => ({ ...each, place }))
  })
  if (asked.length === 0) return []
  const attending = users.flatMap((ids, place) => ids.map((id) => ({ place, id })))
  const { rows } = await connection.query<{ place: number; email: string; name: string | null }>({
    name: 'find-visitors',
    text: `
      SELECT place, email, name FROM (
        SELECT place, (array_agg(email ORDER BY ordinal))[1] AS email, min(ordinal) AS ordinal,
          (array_agg(name ORDER BY ordinal DESC) FILTER (WHERE name IS NOT NULL))[1] AS name
        FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY AS visitors (place, email, name, ordinal)
        GROUP BY place, lower(email)
      ) AS visitors
      WHERE (place, lower(email)) NOT IN (
        SELECT attending.place, lower(users.email)
        FROM unnest($4::integer[], $5::bigint[]) AS attending (place, id) JOIN users USING (id)
      )
      ORDER BY ordinal`,
    values: [
      ...toColumnArrays(asked, ['place', 'email', 'name']),
      ...toColumnArrays(attending, ['place', 'id']),
    ],
  })
  return rows
}
