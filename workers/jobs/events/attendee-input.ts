// Turns the attendees of an event's input into users, visitors and bookables, each of them once.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { queryAll } from '../../runtime/statements.ts'
import { onlyWithin } from '../kit/building-limits.ts'
import type { Attendee } from './attendees.ts'

type AttendeeInput = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type Attending = { attendees: Attendee[]; bookableIds: number[] }

type Invitation = { organizerId: number; eventId: number | undefined; context: WorkContext }

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
  trx: Transaction,
  attendees: AttendeeInput[],
  { organizerId, eventId, context }: Invitation,
  errors: FieldErrors,
): Promise<Attending> {
  const users = await match(trx, attendees, 'user', eventId, errors)
  const bookables = await match(trx, attendees, 'bookable', eventId, errors, context)
  const userIds = [...new Set([organizerId, ...users.values()])]
  const visitors = await findVisitors(trx, attendees, userIds)
  return {
    attendees: [
      ...userIds.map((userId) => ({ userId, email: null })),
      ...visitors.map((email) => ({ userId: null, email })),
    ],
    bookableIds: [...new Set(bookables.values())].sort((a, b) => a - b),
  }
}

// By id, or else by e-mail. Postgres compares e-mails, because JavaScript's lower case differs.
async function match(
  trx: Transaction,
  attendees: AttendeeInput[],
  type: keyof typeof KINDS,
  eventId: number | undefined,
  errors: FieldErrors,
  context?: WorkContext,
): Promise<Matches> {
  const asked = [...attendees.entries()].filter(([, attendee]) => attendee.type === type)
  if (asked.length === 0) return new Map()
  const { table, email, condition, ...problems } = KINDS[type]
  const all = await queryAll<{ ordinal: number; id: number; same: boolean }>(
    trx,
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
  const known = context && (await onlyWithin(trx, context, 'bookables', ids))
  const found = known ? all.filter(({ id }) => known.includes(id)) : all
  const matches = new Map(found.map(({ ordinal, id }) => [ordinal, id]))
  for (const { ordinal } of found.filter(({ same }) => !same))
    errors[`attendees.${ordinal}.email`] = [problems.otherEmail]
  for (const [ordinal, { id }] of asked.filter(([ordinal]) => !matches.has(ordinal))) {
    if (id != null) errors[`attendees.${ordinal}.id`] = [problems.unknownId]
    else errors[`attendees.${ordinal}.email`] = [problems.unknownEmail]
  }
  return matches
}

// Each visitor once, in the spelling that came first. A visitor whose e-mail is a user's is that user.
async function findVisitors(
  trx: Transaction,
  attendees: AttendeeInput[],
  userIds: number[],
): Promise<string[]> {
  const emails = attendees.filter(({ type }) => type === 'visitor').map(({ email }) => email ?? '')
  if (emails.length === 0) return []
  const rows = await queryAll<{ email: string }>(
    trx,
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
