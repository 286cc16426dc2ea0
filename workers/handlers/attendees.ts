// Who and what an event's attendees are: input becomes people and bookables, each of them once.
import type { InputOf } from '../../shared/jobs.ts'
import type { FieldErrors } from '../../shared/refusal.ts'
import type { Transaction } from '../context.ts'

type Attendee = NonNullable<InputOf<'events.create'>['attendees']>[number]

export type Person = { userId: number | null; email: string | null }
export type Attending = { people: Person[]; bookableIds: number[] }

type Match = { id: number; email: string | null }
type Matches = { byId: Map<number, Match>; byEmail: Map<string, Match> }

/** Unknown ones are added to `errors`. The organizer attends in any case. */
export async function findAttending(
  trx: Transaction,
  attendees: Attendee[],
  organizerId: number,
  errors: FieldErrors,
): Promise<Attending> {
  const users = await match(trx, attendees, 'user', 'users', 'email', 'AND deactivated_at IS NULL')
  const bookables = await match(trx, attendees, 'bookable', 'bookables', 'integration_email', '')
  const userIds = new Set([organizerId])
  const bookableIds = new Set<number>()
  const visitors = new Map<string, string>()
  for (const [index, attendee] of attendees.entries()) {
    if (attendee.type === 'visitor') {
      const email = attendee.email ?? ''
      visitors.set(email.toLowerCase(), visitors.get(email.toLowerCase()) ?? email)
      continue
    }
    const found = pick(attendee, attendee.type === 'user' ? users : bookables)
    if (!found) addUnknown(errors, index, attendee)
    else (attendee.type === 'user' ? userIds : bookableIds).add(found.id)
  }
  for (const email of await emailsOf(trx, [...userIds])) visitors.delete(email)
  return {
    people: [
      ...[...userIds].map((userId) => ({ userId, email: null })),
      ...[...visitors.values()].map((email) => ({ userId: null, email })),
    ],
    bookableIds: [...bookableIds].sort((a, b) => a - b),
  }
}

async function match(
  trx: Transaction,
  attendees: Attendee[],
  type: Attendee['type'],
  table: string,
  column: string,
  condition: string,
): Promise<Matches> {
  const own = attendees.filter((attendee) => attendee.type === type)
  const ids = own.map(({ id }) => id).filter((id) => id != null)
  const emails = own.filter(({ id }) => id == null).map(({ email }) => email?.toLowerCase() ?? '')
  if (own.length === 0) return { byId: new Map(), byEmail: new Map() }
  const { rows } = await trx.raw(
    `SELECT id, lower(${column}) AS email FROM ${table}
     WHERE (id = ANY(?::bigint[]) OR lower(${column}) = ANY(SELECT lower(unnest(?::text[])))) ${condition}`,
    [ids, emails],
  )
  return {
    byId: new Map(rows.map((row: Match) => [row.id, row])),
    byEmail: new Map(rows.map((row: Match) => [row.email ?? '', row])),
  }
}

function pick({ id, email }: Attendee, { byId, byEmail }: Matches): Match | undefined {
  return id != null ? byId.get(id) : byEmail.get(email?.toLowerCase() ?? '')
}

function addUnknown(errors: FieldErrors, index: number, { type, id }: Attendee) {
  const noun = type === 'user' ? 'active user' : 'bookable'
  if (id != null) errors[`attendees.${index}.id`] = [`There is no ${noun} with this id.`]
  else errors[`attendees.${index}.email`] = [`There is no ${noun} with this e-mail.`]
}

// A visitor who is one of the users after all is that user.
async function emailsOf(trx: Transaction, userIds: number[]): Promise<string[]> {
  const { rows } = await trx.raw('SELECT lower(email) AS email FROM users WHERE id = ANY(?::bigint[])', [
    userIds,
  ])
  return rows.map((row: { email: string }) => row.email)
}
