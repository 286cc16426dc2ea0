// The API endpoints for calendars: their secret addresses, and the files served there without a token.

import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../../shared/schemas/fields.ts'
import type { JsonSql } from '../../../../shared/schemas/json.ts'
import { beginCalendar } from '../../../../shared/tokens/calendar-file.ts'
import {
  CALENDAR_SUBJECTS,
  calendarJson,
  calendarQuery,
  calendarSchema,
  newCalendarSchema,
} from '../../../../shared/tokens/calendars.ts'
import { calendarEntryJson, placeEntryJson } from '../../../../shared/tokens/calendars-shape.ts'
import { createFeedFormat } from '../../../../shared/tokens/series-entries.ts'
import { hashToken, isWellFormedToken } from '../../../../shared/tokens/token-store.ts'
import { NO_TOKEN_OWNER } from '../../../overload/admission.ts'
import { createRateLimitRefusal, limitWrongGuesses } from '../../../overload/refusals.ts'
import type { ReadConnections } from '../../../reads/connections/read-connections.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import {
  declareEndpoint,
  declareListEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import { findWholeListing, prepareListing } from '../../../server/http/listing.ts'
import { streamListing } from '../../../server/http/streams.ts'

type CalendarSubject = (typeof CALENDAR_SUBJECTS)[number]

const allCalendars = prepareListing({
  name: 'calendars',
  item: calendarJson,
  rows: `calendars WHERE ${CALENDAR_SUBJECTS.map((name, index) => `($${index + 1}::bigint IS NULL OR ${name} = $${index + 1})`).join(' AND ')}`,
  order: { 'calendars.id': 'bigint' },
})

type FoundCalendar = {
  id: number
  subject: CalendarSubject
  subjectId: number
  names: string
  name: string
  database: string
}

/** Finds the calendar's owner. Returns undefined if the address is revoked, or the owner is deactivated or deleted. */
async function findCalendar(database: pg.Pool, hash: Buffer): Promise<FoundCalendar | undefined> {
  const { rows } = await database.query<FoundCalendar>({
    name: 'find-calendar',
    text: `
      SELECT calendars.id, coalesce(users.id, bookables.id, locations.id) AS "subjectId",
        CASE WHEN users.id IS NOT NULL THEN 'user_id' WHEN bookables.id IS NOT NULL THEN 'bookable_id'
          ELSE 'location_id' END AS subject,
        coalesce(users.name, bookables.name, locations.name) AS name, coalesce(calendars.names, 'full') AS names, (SELECT id FROM identity) AS database
      FROM calendars
      LEFT JOIN users ON users.id = calendars.user_id AND users.deactivated_at IS NULL
      LEFT JOIN bookables ON bookables.id = calendars.bookable_id AND bookables.deleted_at IS NULL
      LEFT JOIN locations ON locations.id = calendars.location_id
      WHERE calendars.hash = $1 AND coalesce(users.id, bookables.id, locations.id) IS NOT NULL`,
    values: [hash],
  })
  return rows[0]
}

const IS_IN_PERIOD_SQL = 'during && tstzrange($2, $3)'

const ENTRY_COLUMNS =
  'kind, id, bookable_id, user_id, guest, during, revision, created_at, updated_at, cancelled'
const BOOKING_ENTRY_COLUMNS = `'booking', bookings.id, bookings.bookable_id, bookings.user_id,
  coalesce(bookings.guest_name, bookings.guest_email), bookings.during, bookings.revision, bookings.created_at,
  bookings.updated_at, false`
const CANCELLED_BOOKING_ENTRY_COLUMNS = `'booking', booking_id, bookable_id, user_id, NULL, during, revision, created_at, cancelled_at, true`

const selectClaimEntries = (condition: string, bookables: string) =>
  `(${claimsBetweenSql('$2', '$3', condition, bookables).join(' UNION ALL ')}) AS bookings`

/** Selects the calendar entries of a place. `bookables` is SQL that selects the bookables of the place. An
 * event appears as cancelled once it no longer uses any of these bookables. */
const selectEntriesOfPlace = (bookables: string) => `
  SELECT ${BOOKING_ENTRY_COLUMNS} FROM ${selectClaimEntries('bookings.user_id IS NOT NULL', bookables)}
  UNION ALL
  SELECT ${CANCELLED_BOOKING_ENTRY_COLUMNS} FROM cancelled_bookings
  WHERE event_id IS NULL AND bookable_id = ANY (ARRAY(${bookables})) AND ${IS_IN_PERIOD_SQL}
  UNION ALL
  SELECT 'event', events.id, held.bookable_id, NULL, NULL, events.during, events.revision, events.created_at,
    greatest(events.updated_at, held.changed_at), held.is_over
  FROM (
    SELECT event_id, min(bookable_id) AS bookable_id, max(changed_at) AS changed_at, bool_and(is_over) AS is_over
    FROM (
      SELECT event_id, bookable_id, released_at IS NOT NULL AS is_over, updated_at AS changed_at
      FROM ${selectClaimEntries('bookings.event_id IS NOT NULL', bookables)}
      UNION ALL
      SELECT event_id, bookable_id, true, cancelled_at FROM cancelled_bookings
      WHERE event_id IS NOT NULL AND bookable_id = ANY (ARRAY(${bookables}))
    ) AS rooms GROUP BY event_id
  ) AS held JOIN events ON events.id = held.event_id AND events.${IS_IN_PERIOD_SQL}`

const SELECT_ENTRIES_OF_USER = `
  SELECT ${BOOKING_ENTRY_COLUMNS} FROM bookings WHERE user_id = $1 AND ${IS_IN_PERIOD_SQL}
  UNION ALL
  SELECT ${CANCELLED_BOOKING_ENTRY_COLUMNS} FROM cancelled_bookings WHERE user_id = $1 AND ${IS_IN_PERIOD_SQL}
  UNION ALL
  SELECT 'event', events.id, (SELECT min(bookable_id) FROM bookings WHERE event_id = events.id AND released_at IS NULL), NULL, NULL, during, revision,
    created_at, updated_at, status = 2
  FROM events
  WHERE ${IS_IN_PERIOD_SQL} AND (organizer_user_id = $1 OR id IN (SELECT event_id FROM event_attendees WHERE user_id = $1))`

const createCalendarStatement = (name: string, entries: string, item: JsonSql<object>) =>
  prepareListing({
    name: `calendar-of-${name}`,
    item,
    rows: `(SELECT * FROM (${entries}) AS united (${ENTRY_COLUMNS})) AS entries
      LEFT JOIN bookables ON bookables.id = entries.bookable_id
      LEFT JOIN locations ON locations.id = bookables.location_id
      LEFT JOIN buildings ON buildings.id = locations.building_id
      LEFT JOIN users ON users.id = entries.user_id
      LEFT JOIN events ON entries.kind = 'event' AND events.id = entries.id
      LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
      WHERE true`,
    // Sorts the events of each series together, because they become one entry.
    order: { 'entries.kind': 'text', 'coalesce(events.series_id, 0)': 'bigint', 'entries.id': 'bigint' },
  })

const PLACE_ENTRY_JSON = placeEntryJson('$4::text')

/**
 * Statements that read calendars. $1 is the owner, $2 and $3 are the start and the end of the period; for a place, $4
 * is its `names`.
 */
const CALENDAR_STATEMENTS = {
  user_id: createCalendarStatement('user', SELECT_ENTRIES_OF_USER, calendarEntryJson),
  bookable_id: createCalendarStatement(
    'bookable',
    selectEntriesOfPlace('SELECT id FROM bookables WHERE id = $1'),
    PLACE_ENTRY_JSON,
  ),
  location_id: createCalendarStatement(
    'location',
    selectEntriesOfPlace('SELECT id FROM bookables WHERE location_id = $1'),
    PLACE_ENTRY_JSON,
  ),
}

/** The limit on how far a single event of a series can move from the start that the repetition gives it. */
const SERIES_YEARS_MAX = 2

const CALENDAR_TYPE = 'text/calendar; charset=utf-8'
const CALENDAR_NOT_FOUND = message`There is no calendar at this address.`

export const calendarEndpoints = declareResourceEndpoints({ tag: 'Calendars', ability: 'webhook-write' })({
  listCalendars: declareListEndpoint('/calendars', {
    personal: 'own',
    summary: 'List calendar addresses',
    description: 'Does not include the URLs, which are not stored.',
    query: calendarQuery,
    item: calendarSchema,
    listing: allCalendars,
    values: ({ query }) => [query.user_id ?? null, query.bookable_id ?? null, query.location_id ?? null],
  }),
  createCalendar: declareWriteEndpoint('POST /calendars', {
    personal: 'own',
    alsoNeeds: 'read',
    summary: 'Create a calendar address',
    description:
      'Creates a secret URL for the calendar of a user, a bookable or a location. The URL is returned only once, and needs no token.',
    body: newCalendarSchema,
    job: 'calendars.create',
  }),
  getCalendar: declareEndpoint('GET /calendars/{secret}.ics', {
    ability: null,
    isOpen: true,
    summary: 'Read a calendar at its secret address',
    description:
      'Returns an iCalendar file (RFC 5545) with the bookings and events of the past and the coming year, in UTC. The events of a series are one entry with a rule, in the time zone of the series. Those cancelled in the last 30 days have STATUS:CANCELLED. Allows 60 requests a minute.',
    params: object({ secret: pathText() }),
    hasETag: true,
    sendsFile: true,
    answer: { status: 200, schema: answer.text(), contentTypes: [CALENDAR_TYPE] },
    missing: CALENDAR_NOT_FOUND,
    handle: sendCalendar,
  }),
  deleteCalendar: declareWriteEndpoint('DELETE /calendars/{id}', {
    personal: 'own',
    summary: 'Revoke a calendar address',
    missing: message`There is no calendar with this id.`,
    job: 'calendars.delete',
  }),
})

/** The limit of requests per calendar. Calendar programs fetch a calendar every few minutes. */
const REQUESTS_PER_MINUTE = 60

const CALENDAR_HEADERS = {
  'Content-Disposition': 'attachment; filename="calendar.ics"',
  'Cache-Control': 'private, no-cache',
}

type CalendarCall = Call<{ secret: string }>

async function sendCalendar(call: CalendarCall): Promise<Answer> {
  const { services, params } = call
  const known = isWellFormedToken(params.secret, 'calendar')
    ? await findCalendar(services.reserved.authentication, hashToken(params.secret))
    : undefined
  if (!known) {
    const tooMany = message`Too many requests for unknown calendars from this address.`
    throw await limitWrongGuesses(
      services,
      call.ctx.ip,
      new Refusal('not_found', CALENDAR_NOT_FOUND),
      tooMany,
    )
  }
  const allowance = await services.rateLimiter.take(`calendar:${known.id}`, REQUESTS_PER_MINUTE)
  const headers = {
    'RateLimit-Policy': `default;q=${allowance.limit};w=60`,
    RateLimit: `default;r=${allowance.remaining};t=${allowance.resetSeconds}`,
  }
  if (!allowance.allowed) {
    const detail = message`This calendar is limited to ${REQUESTS_PER_MINUTE} requests per minute.`
    throw createRateLimitRefusal(detail, allowance.resetSeconds, headers)
  }
  // Reads without a caller, so the response may lag behind the primary: calendar programs fetch the calendar
  // again and again.
  const read = (connections: ReadConnections) => readCalendar(call, known, connections)
  const body = await services.reads.read(NO_TOKEN_OWNER, undefined, read)
  const contentType = CALENDAR_TYPE
  return { status: 200, body, headers: { ...CALENDAR_HEADERS, ...headers }, contentType, hasETag: true }
}

async function readCalendar(
  { services, signal, now }: CalendarCall,
  { id, subject, subjectId, names, name, database }: FoundCalendar,
  { pool, streams }: ReadConnections,
) {
  const listing = CALENDAR_STATEMENTS[subject]
  const isOfUser = subject === 'user_id'
  const values = [subjectId, addYears(now, -1), addYears(now, 1), ...(isOfUser ? [] : [names])]
  const span = { from: addYears(now, -1 - SERIES_YEARS_MAX), to: addYears(now, 1 + SERIES_YEARS_MAX) }
  const feed = createFeedFormat({ isOfUser, database }, span)
  const begin = beginCalendar(name)
  const items = (await findWholeListing(pool, listing, values))?.items
  if (items != null) return begin + feed.format(items) + feed.end
  const text = Object.assign(feed, { begin, separator: '' })
  const reader = { owner: `calendar:${id}`, signal }
  return streamListing({ ...services, streams }, reader, { listing, values }, text)
}

function addYears(instant: string, years: number): string {
  const date = new Date(instant)
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return date.toISOString()
}
