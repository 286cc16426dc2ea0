// Who and what an event's attendees are: input becomes people and bookables, each of them once.
import type { InputOf } from '../../../shared/jobs.ts'
import type { FieldErrors } from '../../../shared/refusal.ts'
import type { Transaction } from '../../context.ts'
import type { Person } from './attendees.ts'

type Attendee = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type Attending = { people: Person[]; bookableIds: number[] }

/** Place in the input -> id of the user or bookable that is meant there. */
type Matches = Map<number, number>

const KINDS = {
  user: { table: 'users', email: 'email', condition: 'deactivated_at IS NULL', noun: 'active user' },
  bookable: {
    table: 'bookables',
    email: 'integration_email',
    condition: 'deleted_at IS NULL',
    noun: 'bookable',
  },
}

/** Unknown ones are added to `errors`. The organizer attends in any case. */
export async function findAttending(
  trx: Transaction,
  attendees: Attendee[],
  organizerId: number,
  errors: FieldErrors,
): Promise<Attending> {
  const users = await match(trx, attendees, 'user', errors)
  const bookables = await match(trx, attendees, 'bookable', errors)
  const userIds = [...new Set([organizerId, ...users.values()])]
  const visitors = await visitorsBeside(trx, attendees, userIds)
  return {
    people: [
      ...userIds.map((userId) => ({ userId, email: null })),
      ...visitors.map((email) => ({ userId: null, email })),
    ],
    bookableIds: [...new Set(bookables.values())].sort((a, b) => a - b),
  }
}

// By id, or by e-mail where there is no id. Postgres alone compares e-mails: JavaScript's lower case is another one.
async function match(
  trx: Transaction,
  attendees: Attendee[],
  type: keyof typeof KINDS,
  errors: FieldErrors,
): Promise<Matches> {
  const asked = [...attendees.entries()].filter(([, attendee]) => attendee.type === type)
  if (asked.length === 0) return new Map()
  const { table, email, condition, noun } = KINDS[type]
  const { rows } = await trx.raw(
    `WITH asked AS (
       SELECT *
       FROM unnest(CAST(:places AS integer[]), CAST(:ids AS bigint[]), CAST(:emails AS text[])) AS asked (place, id, email)
     )
     SELECT place, ${table}.id FROM asked JOIN ${table} USING (id) WHERE ${condition}
     UNION ALL
     SELECT place, ${table}.id FROM asked JOIN ${table} ON lower(${table}.${email}) = lower(asked.email)
     WHERE asked.id IS NULL AND ${condition}
     ORDER BY place`,
    {
      places: asked.map(([place]) => place),
      ids: asked.map(([, { id }]) => id ?? null),
      emails: asked.map(([, attendee]) => attendee.email ?? null),
    },
  )
  const matches = new Map<number, number>(
    rows.map((row: { place: number; id: number }) => [row.place, row.id]),
  )
  for (const [place, { id }] of asked.filter(([place]) => !matches.has(place))) {
    if (id != null) errors[`attendees.${place}.id`] = [`There is no ${noun} with this id.`]
    else errors[`attendees.${place}.email`] = [`There is no ${noun} with this e-mail.`]
  }
  return matches
}

// Each once, in the letters that came first. A visitor who is one of the users after all is that user.
async function visitorsBeside(trx: Transaction, attendees: Attendee[], userIds: number[]): Promise<string[]> {
  const emails = attendees.filter(({ type }) => type === 'visitor').map(({ email }) => email ?? '')
  if (emails.length === 0) return []
  const { rows } = await trx.raw(
    `SELECT email FROM (
       SELECT DISTINCT ON (lower(email)) email, place
       FROM unnest(?::text[]) WITH ORDINALITY AS visitors (email, place)
       ORDER BY lower(email), place
     ) AS visitors
     WHERE lower(email) NOT IN (SELECT lower(email) FROM users WHERE id = ANY(?::bigint[]))
     ORDER BY place`,
    [emails, userIds],
  )
  return rows.map(({ email }: { email: string }) => email)
}
