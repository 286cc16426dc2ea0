// Finds the users and bookables that an input names as attendees, if the caller can see them. People who are hidden
// from the caller count as unknown: their e-mail addresses become visitors, and their ids match nobody.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import { findOutsideTokenBuildings } from '../rows/preconditions.ts'
import { toColumnArrays } from '../rows/rows.ts'

/** An attendee: a user, or a visitor with an e-mail address. `name` is the name that the inviter entered for
 * a visitor, or null. */
export type Attendee = { userId: number | null; email: string | null; name: string | null }

type AttendeeInput = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type FoundAttendees = { attendees: Attendee[]; bookableIds: number[] }

/**
 * The attendees whom a write invites to an event. `kept` attendees are added to the input; `unchanged` attendees
 * replace the input. `field` is the name of the input field. Unknown attendees are added to `errors`.
 */
export type Invitation = {
  context: Pick<WriteContext, 'buildingIds' | 'userId'>
  organizerId: number
  eventId: number | undefined
  /** The ids of users who already attend. */
  attending?: number[] | undefined
  input: AttendeeInput[]
  kept?: FoundAttendees
  unchanged?: FoundAttendees
  field?: string
  errors: FieldErrors
}

// SQL conditions for the users and bookables that an input may name. Current attendees can still be named after they
// have been deactivated.
const ATTENDEE_KINDS = {
  user: {
    table: 'users',
    email: 'email',
    condition: `(deactivated_at IS NULL OR EXISTS (
      SELECT FROM event_attendees WHERE event_id = asked.event_id AND event_attendees.user_id = users.id))`,
    hidden: isHiddenFromSql('users.id', 'asked.viewer'),
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
type AttendeeKind = keyof typeof ATTENDEE_KINDS

/** If `hidden` is set, the user is hidden from the person making the write. */
export type AttendeeMatch = { place: number; ordinal: number; id: number; same: boolean; hidden: boolean }

const filterInputs = ({ input }: Invitation, kind: AttendeeKind) =>
  [...input.entries()].filter(([, { type }]) => type === kind)

/**
 * Whether the input names a user. A person sees people who are hidden from them as visitors, and therefore also names
 * them as visitors.
 */
const isUserNamed = ({ context }: Invitation, { type }: AttendeeInput) =>
  type === 'user' || (type === 'visitor' && context.userId !== undefined)

// SQL that finds attendees by id or, if there is no id, by e-mail. Postgres compares the e-mails, because JavaScript
// converts to lower case differently.
const matchSql = ({ table, email, condition, hidden }: (typeof ATTENDEE_KINDS)[AttendeeKind]) => `
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
  kind: AttendeeKind,
  asked: RequestedAttendee[],
) {
  if (asked.length === 0) return []
  const values = asked.map(({ place, ordinal, each: { type, id, email } }) => ({
    place,
    ordinal,
    email: email ?? null,
    // The id of a visitor is never the id of a user.
    id: type === 'visitor' ? null : (id ?? null),
    eventId: invitations[place]?.eventId ?? null,
    viewer: invitations[place]?.context.userId ?? null,
  }))
  const { rows } = await connection.query<AttendeeMatch>({
    name: `match-${kind}`,
    text: matchSql(ATTENDEE_KINDS[kind]),
    values: toColumnArrays(values, ['place', 'ordinal', 'id', 'email', 'eventId', 'viewer']),
  })
  return rows
}

/** Returns the users that the input of each invitation names. */
export async function findUsers(
  connection: Connection,
  invitations: Invitation[],
): Promise<AttendeeMatch[][]> {
  const asked = invitations.flatMap((invitation, place) =>
    [...invitation.input.entries()]
      .filter(([, each]) => isUserNamed(invitation, each))
      .map(([ordinal, each]) => ({ place, ordinal, each })),
  )
  const found = await findMatches(connection, invitations, 'user', asked)
  return invitations.map((each, place) =>
    found.filter((row) => row.place === place && isKnownMatch(each, row)),
  )
}

/** Returns the bookables that the input of each invitation names, if they are in the token's buildings. */
export async function findBookables(
  connection: Connection,
  invitations: Invitation[],
): Promise<AttendeeMatch[][]> {
  const asked = invitations.flatMap((invitation, place) =>
    filterInputs(invitation, 'bookable').map(([ordinal, each]) => ({ place, ordinal, each })),
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

// Whether the caller may name this user by id. A person must not find out whose id it is, because people know others
// only by e-mail. A hidden user who already attends stays.
function isKnownMatch(invitation: Invitation, { id, ordinal, same, hidden }: AttendeeMatch): boolean {
  const { context, attending = [], input } = invitation
  const { type, id: askedId, email } = input[ordinal] ?? {}
  const attends = attending.includes(id)
  if (hidden) return attends && (type === 'visitor' || askedId == null)
  if (type === 'visitor') return false
  if (context.userId === undefined || id === context.userId || attends) return true
  return same && email != null
}

/** Returns visitors, and users who are hidden from the person making the write. */
export function findVisitorInputs(
  invitation: Invitation,
  found: AttendeeMatch[] = [],
): Array<{ email: string; name: string | null }> {
  const { context, input } = invitation
  return [...input.entries()].flatMap(([ordinal, each]) => {
    const { type, id, email } = each
    const isVisitor = type === 'visitor' || (isUnknownEmail({ type, id }) && context.userId !== undefined)
    return isVisitor && !found.some((row) => row.ordinal === ordinal)
      ? [{ email: email ?? '', name: getVisitorName(each) }]
      : []
  })
}

/**
 * Returns the name of a visitor, or null. Responses show the e-mail of a visitor without a name as the name, and a
 * client may send it back.
 */
export const getVisitorName = ({ name, email }: AttendeeInput): string | null =>
  name == null || name === email ? null : name

const isUnknownEmail = ({ type, id }: Pick<AttendeeInput, 'type' | 'id'>) => type === 'user' && id == null

/** Returns the ids of the matches, in the order of the input. */
export function listMatchedIds(
  invitation: Invitation,
  kind: AttendeeKind,
  found: AttendeeMatch[] = [],
): number[] {
  const { context, field = 'attendees', errors } = invitation
  const { otherEmail, unknownId, unknownEmail } = ATTENDEE_KINDS[kind]
  const matches = new Map(found.map(({ ordinal, id }) => [ordinal, id]))
  for (const { ordinal } of found.filter(({ same }) => !same))
    errors[`${field}.${ordinal}.email`] = [otherEmail]
  for (const [ordinal, { id }] of filterInputs(invitation, kind).filter(([place]) => !matches.has(place))) {
    if (id != null) errors[`${field}.${ordinal}.id`] = [unknownId]
    // This is not an error: the person making the write does not see this user, so the e-mail address becomes
    // a visitor's.
    else if (kind === 'user' && context.userId !== undefined) continue
    else errors[`${field}.${ordinal}.email`] = [unknownEmail]
  }
  return [...matches.values()]
}
