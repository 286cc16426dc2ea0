// Finds the users and bookables that the attendees of an input name, if the caller can see them. People who hide from the caller
// are unknown: their e-mail addresses become visitors, and their ids match nobody.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import { isHiddenFrom } from '../../../shared/people/visibility.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import { findOutsideTokenBuildings } from '../rows/preconditions.ts'
import { arraysOf } from '../rows/rows.ts'

/** A user, or a visitor by e-mail. */
export type Attendee = { userId: number | null; email: string | null }

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
  /** The ids of users who attend already. */
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
    hidden: isHiddenFrom('users.id', 'asked.viewer'),
    unknownId: message`There is no active person with this id.`,
    unknownEmail: message`There is no active person with this e-mail.`,
    otherEmail: message`This is not the e-mail of the person with this id.`,
  },
  bookable: {
    table: 'bookables',
    email: 'integration_email',
    condition: 'deleted_at IS NULL',
    hidden: 'false',
    unknownId: message`There is no desk or room with this id.`,
    unknownEmail: message`There is no room with this e-mail.`,
    otherEmail: message`This is not the e-mail of the room with this id.`,
  },
}
type Kind = keyof typeof KINDS

/** `hidden`: the user hides from the person who writes. */
export type Match = { place: number; ordinal: number; id: number; same: boolean; hidden: boolean }

const askedFor = ({ input }: Invitation, kind: Kind) =>
  [...input.entries()].filter(([, { type }]) => type === kind)

/** A person sees people who hide from them as visitors, and also names them as visitors. */
const namesUser = ({ context }: Invitation, { type }: AttendeeInput) =>
  type === 'user' || (type === 'visitor' && context.userId !== undefined)

// By id, or else by e-mail. Postgres compares e-mails, because JavaScript's lower case differs.
const matchSql = ({ table, email, condition, hidden }: (typeof KINDS)[Kind]) => `
  WITH asked AS (
    SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
      AS asked (place, ordinal, id, email, event_id, viewer)
  )
  SELECT place, ordinal, ${table}.id, ${hidden} AS hidden,
    coalesce(lower(${table}.${email}) = lower(asked.email), asked.email IS NULL) AS same
  FROM asked JOIN ${table} USING (id) WHERE ${condition}
  UNION ALL
  SELECT place, ordinal, ${table}.id, ${hidden} AS hidden, true
  FROM asked JOIN ${table} ON lower(${table}.${email}) = lower(asked.email)
  WHERE asked.id IS NULL AND ${condition}
  ORDER BY ordinal`

type RequestedAttendee = { place: number; ordinal: number; each: AttendeeInput }

async function findMatches(
  connection: Connection,
  invitations: Invitation[],
  kind: Kind,
  asked: RequestedAttendee[],
) {
  if (asked.length === 0) return []
  const values = asked.map(({ place, ordinal, each: { type, id, email } }) => ({
    place,
    ordinal,
    email: email ?? null,
    // The id of a visitor is not the id of a user.
    id: type === 'visitor' ? null : (id ?? null),
    eventId: invitations[place]?.eventId ?? null,
    viewer: invitations[place]?.context.userId ?? null,
  }))
  const { rows } = await connection.query<Match>({
    name: `match-${kind}`,
    text: matchSql(KINDS[kind]),
    values: arraysOf(values, ['place', 'ordinal', 'id', 'email', 'eventId', 'viewer']),
  })
  return rows
}

/** For each invitation, the users whom its input names. */
export async function findUsers(connection: Connection, invitations: Invitation[]): Promise<Match[][]> {
  const asked = invitations.flatMap((invitation, place) =>
    [...invitation.input.entries()]
      .filter(([, each]) => namesUser(invitation, each))
      .map(([ordinal, each]) => ({ place, ordinal, each })),
  )
  const found = await findMatches(connection, invitations, 'user', asked)
  return invitations.map((each, place) => found.filter((row) => row.place === place && isKnown(each, row)))
}

/** For each invitation, the bookables that its input names, in the buildings of its token. */
export async function findBookables(connection: Connection, invitations: Invitation[]): Promise<Match[][]> {
  const asked = invitations.flatMap((invitation, place) =>
    askedFor(invitation, 'bookable').map(([ordinal, each]) => ({ place, ordinal, each })),
  )
  const rows = await findMatches(connection, invitations, 'bookable', asked)
  const seen = invitations.flatMap(({ context }, place) =>
    rows.filter((row) => row.place === place).map((row) => ({ ...row, context })),
  )
  const outside = await findOutsideTokenBuildings(connection, 'bookables', seen)
  return invitations.map((_each, place) =>
    seen.filter((row, index) => row.place === place && !outside.has(index)),
  )
}

// A person knows others by their e-mails, and must not find out whose id it is. A hidden person who attends already stays.
function isKnown(invitation: Invitation, { id, ordinal, same, hidden }: Match): boolean {
  const { context, attending = [], input } = invitation
  const { type, id: askedId, email } = input[ordinal] ?? {}
  const attends = attending.includes(id)
  if (hidden) return attends && (type === 'visitor' || askedId == null)
  if (type === 'visitor') return false
  if (context.userId === undefined || id === context.userId || attends) return true
  return same && email != null
}

/** Returns the e-mails of visitors, and of users whom the person who writes does not know. */
export function visitorEmails(invitation: Invitation, found: Match[] = []): string[] {
  const { context, input } = invitation
  return [...input.entries()].flatMap(([ordinal, { type, id, email }]) => {
    const isVisitor = type === 'visitor' || (isUnknownEmail({ type, id }) && context.userId !== undefined)
    return isVisitor && !found.some((row) => row.ordinal === ordinal) ? [email ?? ''] : []
  })
}

const isUnknownEmail = ({ type, id }: Pick<AttendeeInput, 'type' | 'id'>) => type === 'user' && id == null

/** Returns the ids in the order of the input. */
export function matchedIds(invitation: Invitation, kind: Kind, found: Match[] = []): number[] {
  const { context, field = 'attendees', errors } = invitation
  const { otherEmail, unknownId, unknownEmail } = KINDS[kind]
  const matches = new Map(found.map(({ ordinal, id }) => [ordinal, id]))
  for (const { ordinal } of found.filter(({ same }) => !same))
    errors[`${field}.${ordinal}.email`] = [otherEmail]
  for (const [ordinal, { id }] of askedFor(invitation, kind).filter(([place]) => !matches.has(place))) {
    if (id != null) errors[`${field}.${ordinal}.id`] = [unknownId]
    // This user is a visitor for the person who writes.
    else if (kind === 'user' && context.userId !== undefined) continue
    else errors[`${field}.${ordinal}.email`] = [unknownEmail]
  }
  return [...matches.values()]
}
