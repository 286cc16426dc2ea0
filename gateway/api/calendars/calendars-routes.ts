// Calendars over HTTP: their secret addresses, and the files served there without a token.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { calendarQuery, calendarSchema, newCalendarSchema } from '../../../shared/tokens/calendars.ts'
import { hashToken, isWellFormedToken } from '../../../shared/tokens/token-store.ts'
import type { ReadConnections } from '../../data/read-connections.ts'
import type { Answer, Call } from '../../http/call.ts'
import { endpoint, list, resource, write } from '../../http/endpoint.ts'
import { findWhole } from '../../http/listing.ts'
import { streamListing } from '../../http/streams.ts'
import { OPEN } from '../../overload/admission.ts'
import { rateLimited, refuseWrongGuess } from '../../overload/refusals.ts'
import { allCalendars, CALENDARS, type FoundCalendar, findCalendar } from './calendars-queries.ts'
import { beginCalendar, END_CALENDAR, formatEntries } from './entries.ts'

const CALENDAR_TYPE = 'text/calendar; charset=utf-8'
const NO_CALENDAR = message`There is no calendar at this address.`

export const calendars = resource({ tag: 'Calendars', ability: 'webhook-write' })({
  listCalendars: list('/calendars', {
    summary: 'List the calendars that have an address',
    description: 'The addresses themselves are not stored.',
    query: calendarQuery,
    item: calendarSchema,
    listing: allCalendars,
    values: ({ query }) => [query.user_id ?? null, query.bookable_id ?? null, query.location_id ?? null],
  }),
  createCalendar: write('POST /calendars', {
    alsoNeeds: 'read',
    summary: 'Create a secret address of a calendar',
    description: 'Of a user, a bookable or a location. The address is shown here only, and needs no token.',
    body: newCalendarSchema,
    job: 'calendars.create',
  }),
  getCalendar: endpoint('GET /calendars/{secret}.ics', {
    ability: null,
    isOpen: true,
    summary: 'Read a calendar at its secret address',
    description:
      'iCalendar (RFC 5545): bookings and events, a year back and a year ahead, in UTC. What was cancelled in the last 30 days is there with STATUS:CANCELLED. 60 requests a minute.',
    params: object({ secret: pathText() }),
    hasETag: true,
    sendsFile: true,
    answer: { status: 200, schema: answer.text(), contentTypes: [CALENDAR_TYPE] },
    missing: NO_CALENDAR,
    handle: sendCalendar,
  }),
  deleteCalendar: write('DELETE /calendars/{id}', {
    summary: 'Revoke a calendar address',
    missing: message`There is no calendar with this id.`,
    job: 'calendars.delete',
  }),
})

/** Calendar programs ask every few minutes. */
const REQUESTS_PER_MINUTE = 60

const HEADERS = {
  'Content-Disposition': 'attachment; filename="calendar.ics"',
  'Cache-Control': 'private, no-cache',
}

type CalendarCall = Call<{ secret: string }>

async function sendCalendar(call: CalendarCall): Promise<Answer> {
  const { services, params } = call
  const known = isWellFormedToken(params.secret, 'calendar')
    ? await findCalendar(services.reserved.authentication, hashToken(params.secret))
    : undefined
  if (!known) throw await refuseUnknown(call)
  const allowance = await services.rateLimiter.take(`calendar:${known.id}`, REQUESTS_PER_MINUTE)
  const headers = {
    'RateLimit-Policy': `default;q=${allowance.limit};w=60`,
    RateLimit: `default;r=${allowance.remaining};t=${allowance.resetSeconds}`,
  }
  if (!allowance.allowed) {
    const detail = message`This calendar is limited to ${REQUESTS_PER_MINUTE} requests per minute.`
    throw rateLimited(detail, allowance.resetSeconds, headers)
  }
  // No caller: programs fetch calendars again and again, so an answer may be as old as a replica.
  const read = (connections: ReadConnections) => readCalendar(call, known, connections)
  const body = await services.reads.read(OPEN, undefined, read)
  const contentType = CALENDAR_TYPE
  return { status: 200, body, headers: { ...HEADERS, ...headers }, contentType, hasETag: true }
}

function refuseUnknown({ services, ctx }: CalendarCall): Promise<Refusal> {
  const tooMany = message`Too many requests for unknown calendars from this address.`
  return refuseWrongGuess(services, ctx.ip, new Refusal('not_found', NO_CALENDAR), tooMany)
}

async function readCalendar(
  { services, signal, now }: CalendarCall,
  { id, subject, subjectId, name, database }: FoundCalendar,
  { pool, streams }: ReadConnections,
) {
  const listing = CALENDARS[subject]
  const values = [subjectId, addYears(now, -1), addYears(now, 1)]
  const scope = { isOfUser: subject === 'user_id', database }
  const format = (joined: string) => formatEntries(joined, scope)
  const items = (await findWhole(pool, listing, values))?.items
  if (items != null) return beginCalendar(name) + format(items) + END_CALENDAR
  const text = { begin: beginCalendar(name), format, separator: '', end: END_CALENDAR }
  const reader = { owner: `calendar:${id}`, signal }
  return streamListing({ ...services, streams }, reader, { listing, values }, text)
}

function addYears(instant: string, years: number): string {
  const date = new Date(instant)
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return date.toISOString()
}
