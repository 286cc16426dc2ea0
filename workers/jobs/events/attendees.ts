// The attendees of an event: an input becomes users, visitors and bookables, each of them once. Those who stay
// keep their answers, and visitors also their ids.
import { ATTENDEE_ROLES, ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import { filterToTokenBuildings } from '../kit/preconditions.ts'

/** A user, or a visitor by e-mail. */
type Attendee = { userId: number | null; email: string | null }

// SQL with :organizer, for rows that have a user_id.
const isOrganizer = (row: string) => `${row}.user_id = :organizer`
const roleOf = (row: string) =>
  `CASE WHEN ${isOrganizer(row)} THEN ${ATTENDEE_ROLES.organizer} ELSE ${ATTENDEE_ROLES.attendee} END`
// The organizer has always accepted.
const statusOf = (row: string, otherwise: string | number) =>
  `CASE WHEN ${isOrganizer(row)} THEN ${ATTENDEE_STATUSES.accepted} ELSE ${otherwise} END`

/** Present attendees stay as they are. The event's row is locked. */
export async function insertAttendees(
  write: Write,
  eventId: number,
  attendees: Attendee[],
  organizerId: number,
): Promise<void> {
  await write.run(
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
  write: Write,
  eventId: number,
  attendees: Attendee[],
  organizerId: number,
): Promise<void> {
  const userIds = attendees.map(({ userId }) => userId).filter((id) => id !== null)
  const emails = attendees.map(({ email }) => email).filter((email) => email !== null)
  await write.run(
    `DELETE FROM event_attendees
     WHERE event_id = ? AND (user_id IS NULL OR user_id <> ALL(?::bigint[]))
       AND (email IS NULL OR lower(email) <> ALL(SELECT lower(unnest(?::text[]))))`,
    [eventId, userIds, emails],
  )
  await insertAttendees(write, eventId, attendees, organizerId)
  // For those who stay, only the role may change, and with it the status of a new organizer.
  const [role, status] = [roleOf('event_attendees'), statusOf('event_attendees', 'status')]
  await write.run(
    `UPDATE event_attendees SET role = ${role}, status = ${status} WHERE event_id = :event AND role <> ${role}`,
    { event: eventId, organizer: organizerId },
  )
}

type AttendeeInput = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type Attending = { attendees: Attendee[]; bookableIds: number[] }

/** `kept` attend besides the input; `field` is the name of the input. */
export type Invitation = {
  organizerId: number
  eventId: number | undefined
  kept?: Attending
  field?: string
}

/** Index in the input -> id of the matching user or bookable. */
type Matches = Map<number, number>

// A present attendee may be named again after they were deactivated.
const KINDS = {
  user: {
    table: 'users',
    email: 'email',
    condition: `(deactivated_at IS NULL OR EXISTS (
      SELECT FROM event_attendees WHERE event_id = :event AND event_attendees.user_id = users.id))`,
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

/** Unknown attendees are added to `errors`. The organizer always attends. */
export async function findAttending(
  write: Write,
  attendees: AttendeeInput[],
  invitation: Invitation,
  errors: FieldErrors,
): Promise<Attending> {
  const { organizerId, kept } = invitation
  const users = await match(write, attendees, 'user', invitation, errors)
  const bookables = await match(write, attendees, 'bookable', invitation, errors)
  const keptIds = kept?.attendees.flatMap(({ userId }) => userId ?? []) ?? []
  const keptEmails = kept?.attendees.flatMap(({ email }) => email ?? []) ?? []
  const userIds = [...new Set([organizerId, ...keptIds, ...users.values()])]
  const emails = attendees.filter(({ type }) => type === 'visitor').map(({ email }) => email ?? '')
  const visitors = await findVisitors(write, [...keptEmails, ...emails], userIds)
  return {
    attendees: [
      ...userIds.map((userId) => ({ userId, email: null })),
      ...visitors.map((email) => ({ userId: null, email })),
    ],
    bookableIds: [...new Set([...(kept?.bookableIds ?? []), ...bookables.values()])].sort((a, b) => a - b),
  }
}

// By id, or else by e-mail. Postgres compares e-mails, because JavaScript's lower case differs.
async function match(
  write: Write,
  attendees: AttendeeInput[],
  type: keyof typeof KINDS,
  { eventId, field = 'attendees' }: Invitation,
  errors: FieldErrors,
): Promise<Matches> {
  const asked = [...attendees.entries()].filter(([, attendee]) => attendee.type === type)
  if (asked.length === 0) return new Map()
  const { table, email, condition, ...problems } = KINDS[type]
  const all = await write.all<{ ordinal: number; id: number; same: boolean }>(
    `WITH asked AS (
       SELECT *
       FROM unnest(CAST(:ordinals AS integer[]), CAST(:ids AS bigint[]), CAST(:emails AS text[])) AS asked (ordinal, id, email)
     )
     SELECT ordinal, ${table}.id, coalesce(lower(${table}.${email}) = lower(asked.email), asked.email IS NULL) AS same
     FROM asked JOIN ${table} USING (id) WHERE ${condition}
     UNION ALL
     SELECT ordinal, ${table}.id, true FROM asked JOIN ${table} ON lower(${table}.${email}) = lower(asked.email)
     WHERE asked.id IS NULL AND ${condition}
     ORDER BY ordinal`,
    {
      event: eventId ?? null,
      ordinals: asked.map(([ordinal]) => ordinal),
      ids: asked.map(([, { id }]) => id ?? null),
      emails: asked.map(([, attendee]) => attendee.email ?? null),
    },
  )
  const ids = all.map(({ id }) => id)
  const known = type === 'bookable' ? await filterToTokenBuildings(write, 'bookables', ids) : ids
  const found = all.filter(({ id }) => known.includes(id))
  const matches = new Map(found.map(({ ordinal, id }) => [ordinal, id]))
  for (const { ordinal } of found.filter(({ same }) => !same))
    errors[`${field}.${ordinal}.email`] = [problems.otherEmail]
  for (const [ordinal, { id }] of asked.filter(([ordinal]) => !matches.has(ordinal))) {
    if (id != null) errors[`${field}.${ordinal}.id`] = [problems.unknownId]
    else errors[`${field}.${ordinal}.email`] = [problems.unknownEmail]
  }
  return matches
}

// Each visitor once, in the spelling that came first. A visitor whose e-mail is a user's is that user.
async function findVisitors(write: Write, emails: string[], userIds: number[]): Promise<string[]> {
  if (emails.length === 0) return []
  const rows = await write.all<{ email: string }>(
    `SELECT email FROM (
       SELECT DISTINCT ON (lower(email)) email, ordinal
       FROM unnest(?::text[]) WITH ORDINALITY AS visitors (email, ordinal)
       ORDER BY lower(email), ordinal
     ) AS visitors
     WHERE lower(email) NOT IN (SELECT lower(email) FROM users WHERE id = ANY(?::bigint[]))
     ORDER BY ordinal`,
    [emails, userIds],
  )
  return rows.map(({ email }) => email)
}
