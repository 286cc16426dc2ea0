// Calendars over HTTP: their secret addresses, and the files served there without a token.

import { message } from '../../../shared/messages/message.ts'
import { textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { calendarQuery, calendarSchema, newCalendarSchema } from '../../../shared/tokens/calendars.ts'
import { endpoint, list, resource, write } from '../../http/endpoint.ts'
import { allCalendars } from './calendars-queries.ts'
import { CALENDAR_TYPE, NO_CALENDAR, sendCalendar } from './send-calendar.ts'

export const calendars = resource({ tag: 'Calendars', ability: 'webhook-write' }, [
  list({
    path: '/calendars',
    name: 'listCalendars',
    summary: 'List the calendars that have an address',
    description: 'The addresses themselves are not stored.',
    query: calendarQuery,
    item: calendarSchema,
    listing: allCalendars,
    values: ({ query }) => [query.user_id ?? null, query.bookable_id ?? null, query.location_id ?? null],
  }),
  write({
    alsoNeeds: 'read',
    method: 'POST',
    path: '/calendars',
    name: 'createCalendar',
    summary: 'Create a secret address of a calendar',
    description: 'Of a user, a bookable or a location. The address is shown here only, and needs no token.',
    body: newCalendarSchema,
    job: 'calendars.create',
    input: ({ body }) => body,
  }),
  endpoint({
    ability: null,
    isOpen: true,
    method: 'GET',
    path: '/calendars/{secret}.ics',
    name: 'getCalendar',
    summary: 'Read a calendar at its secret address',
    description:
      'iCalendar (RFC 5545): bookings and events, a year back and a year ahead, in UTC. What was cancelled in the last 30 days is there with STATUS:CANCELLED. 60 requests a minute.',
    params: object({ secret: pathText() }),
    hasETag: true,
    sendsFile: true,
    answer: { status: 200, schema: textAnswer(), contentTypes: [CALENDAR_TYPE] },
    missing: NO_CALENDAR,
    handle: sendCalendar,
  }),
  write({
    method: 'DELETE',
    path: '/calendars/{id}',
    name: 'deleteCalendar',
    summary: 'Revoke a calendar address',
    missing: message`There is no calendar with this id.`,
    job: 'calendars.delete',
    input: ({ params }) => ({ id: params.id }),
  }),
])
