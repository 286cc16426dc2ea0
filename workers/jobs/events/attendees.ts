// The attendees of events, as many as come together: an input becomes users, visitors and bookables, each of them once.
// Those who stay keep their answers, and visitors also their ids.
import { ATTENDEE_ROLES, ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import { findOutsideTokenBuildings } from '../kit/preconditions.ts'
import { arraysOf } from '../kit/rows.ts'

/** A user, or a visitor by e-mail. */
export type Attendee = { userId: number | null; email: string | null }

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

/** Present attendees stay as they are. The rows of the events are locked. */
export async function insertAttendees(connection: Connection, events: Attended[]): Promise<void> {
  await connection.query({
    name: 'insert-attendees',
    text: `
      INSERT INTO event_attendees (event_id, user_id, email, visitor_id, role, status)
      SELECT asked.event_id, asked.user_id, asked.email,
        CASE WHEN asked.user_id IS NULL THEN nextval(pg_get_serial_sequence('users', 'id')) END,
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

type AttendeeInput = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type Attending = { attendees: Attendee[]; bookableIds: number[] }

/**
 * Whom an event invites. `kept` attend besides the input, `unchanged` instead of it; `field` is the name of the input.
 * Unknown attendees are added to `errors`.
 */
export type Invitation = {
  context: Pick<WriteContext, 'buildingIds' | 'userId'>
  organizerId: number
  eventId: number | undefined
  /** The users who attend already. */
  attending?: number[] | undefined
  input: AttendeeInput[]
  kept?: Attending
  unchanged?: Attending
  field?: string
  errors: FieldErrors
}

// A present attendee may be named again after they were deactivated.
const KINDS = {
  user: {
    table: 'users',
    email: 'email',
    condition: `(deactivated_at IS NULL OR EXISTS (
      SELECT FROM event_attendees WHERE event_id = asked.event_id AND event_attendees.user_id = users.id))`,
    unknownId: message`There is no active user with this id.`,
    unknownEmail: message`There is no active user with this e-mail.`,
    otherEmail: message`This is not the e-mail of the user with this id.`,
  },
  bookable: {
    table: 'bookables',
    email: 'integration_email',
    condition: 'deleted_at IS NULL',
    unknownId: message`There is no bookable with this id.`,
    unknownEmail: message`There is no bookable with this e-mail.`,
    otherEmail: message`This is not the e-mail of the bookable with this id.`,
  },
}
type Kind = keyof typeof KINDS

/** In the order of the invitations. The organizer always attends. */
export async function findAttending(connection: Connection, invitations: Invitation[]): Promise<Attending[]> {
  const [users, bookables] = await pipelined(
    connection,
    () => findMatches(connection, invitations, 'user'),
    () => findMatches(connection, invitations, 'bookable'),
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
    matched.map(({ userIds }) => userIds),
  )
  return matched.map(({ userIds, bookableIds }, place) => {
    const emails = visitors.filter((each) => each.place === place).map(({ email }) => email)
    const people = userIds.map((userId): Attendee => ({ userId, email: null }))
    const attendees = people.concat(emails.map((email) => ({ userId: null, email })))
    return invitations[place]?.unchanged ?? { attendees, bookableIds }
  })
}

type Match = { place: number; ordinal: number; id: number; same: boolean }

const askedFor = ({ input }: Invitation, kind: Kind) =>
  [...input.entries()].filter(([, { type }]) => type === kind)

// By id, or else by e-mail. Postgres compares e-mails, because JavaScript's lower case differs.
const matchSql = ({ table, email, condition }: (typeof KINDS)[Kind]) => `
  WITH asked AS (
    SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::text[], $5::bigint[])
      AS asked (place, ordinal, id, email, event_id)
  )
  SELECT place, ordinal, ${table}.id, coalesce(lower(${table}.${email}) = lower(asked.email), asked.email IS NULL) AS same
  FROM asked JOIN ${table} USING (id) WHERE ${condition}
  UNION ALL
  SELECT place, ordinal, ${table}.id, true FROM asked JOIN ${table} ON lower(${table}.${email}) = lower(asked.email)
  WHERE asked.id IS NULL AND ${condition}
  ORDER BY ordinal`

/** For each invitation, what its input names that the caller can see. */
async function findMatches(connection: Connection, invitations: Invitation[], kind: Kind) {
  const asked = invitations.flatMap((invitation, place) =>
    askedFor(invitation, kind).map(([ordinal, { id = null, email = null }]) => ({
      ...{ place, ordinal, id, email },
      eventId: invitation.eventId ?? null,
    })),
  )
  if (asked.length === 0) return invitations.map(() => [])
  const { rows } = await connection.query<Match>({
    name: `match-${kind}`,
    text: matchSql(KINDS[kind]),
    values: arraysOf(asked, ['place', 'ordinal', 'id', 'email', 'eventId']),
  })
  if (kind === 'user')
    return invitations.map((each, place) => rows.filter((row) => row.place === place && isKnown(each, row)))
  const seen = invitations.flatMap(({ context }, place) =>
    rows.filter((row) => row.place === place).map((row) => ({ ...row, context })),
  )
  const outside = await findOutsideTokenBuildings(connection, 'bookables', seen)
  return invitations.map((_each, place) =>
    seen.filter((row, index) => row.place === place && !outside.has(index)),
  )
}

// A personal token knows others by their e-mails: it must not find out who has an id.
function isKnown({ context: { userId }, attending = [], input }: Invitation, { id, ordinal, same }: Match) {
  if (userId === undefined || id === userId || attending.includes(id)) return true
  return same && input[ordinal]?.email != null
}

/** The ids in the order of the input. */
function matchedIds(invitation: Invitation, kind: Kind, found: Match[] = []): number[] {
  const { field = 'attendees', errors } = invitation
  const { otherEmail, unknownId, unknownEmail } = KINDS[kind]
  const matches = new Map(found.map(({ ordinal, id }) => [ordinal, id]))
  for (const { ordinal } of found.filter(({ same }) => !same))
    errors[`${field}.${ordinal}.email`] = [otherEmail]
  for (const [ordinal, { id }] of askedFor(invitation, kind).filter(([place]) => !matches.has(place))) {
    if (id != null) errors[`${field}.${ordinal}.id`] = [unknownId]
    else errors[`${field}.${ordinal}.email`] = [unknownEmail]
  }
  return [...matches.values()]
}

// Each visitor of an event once, in the spelling that came first. A visitor whose e-mail is a user's is that user.
async function findVisitors(connection: Connection, invitations: Invitation[], users: number[][]) {
  const asked = invitations.flatMap(({ input, kept }, place) => {
    const keptEmails = kept?.attendees.flatMap(({ email }) => email ?? []) ?? []
    const emails = input.filter(({ type }) => type === 'visitor').map(({ email }) => email ?? '')
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
