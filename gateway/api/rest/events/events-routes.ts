// The API endpoints for events.
import type { InferType } from 'yup'
import {
  answerSchema,
  eventChangesSchema,
  eventReplacementSchema,
  newEventSchema,
  ownAnswerSchema,
} from '../../../../shared/events/event-jobs.ts'
import {
  eventScopeQuery,
  eventSeriesSchema,
  newEventSeriesSchema,
  scopedEventWriteQuery,
} from '../../../../shared/events/event-series.ts'
import {
  EVENT_STATUSES,
  eventSchema,
  eventsQuery,
  eventsTodayQuery,
  eventWriteQuery,
  includeQuery,
  listedEventSchema,
  todaysEventSchema,
} from '../../../../shared/events/events.ts'
import {
  detailedEventJson,
  EVENT_ROWS_SQL,
  eventJson,
  listedEventJson,
  selectEventSql,
  todaysEventJson,
} from '../../../../shared/events/events-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { ROOM_RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { instantsOfDaySql } from '../../../../shared/schemas/days.ts'
import {
  type JsonSql,
  json,
  listJson,
  rowJson,
  selectDataBodySql,
  selectJson,
} from '../../../../shared/schemas/json.ts'
import { deletedSeriesQuery } from '../../../../shared/series/repetition.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'

export const eventById = { name: 'find-event', text: selectEventSql('$1') }
const detailedEventById = { name: 'find-detailed-event', text: selectEventSql('$1', detailedEventJson) }

// The filters of a listing of events: $1 building, $2 location, $3 bookable, each null if not given. An event matches
// if one of its bookables does.
const optionalCondition = (value: string, condition: string) => `(${value}::bigint IS NULL OR ${condition})`

const hasBookableSql = (condition: string) => `EXISTS (
  SELECT FROM bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  WHERE bookings.event_id = events.id AND ${condition})`

const eventConditions = [
  `events.status = ${EVENT_STATUSES.confirmed}`,
  optionalCondition('$1', hasBookableSql('locations.building_id = $1')),
  optionalCondition('$2', hasBookableSql('locations.id = $2')),
  optionalCondition('$3', hasBookableSql('bookables.id = $3')),
].join(' AND ')

const parent = [
  optionalCondition('$1', 'EXISTS (SELECT FROM buildings WHERE id = $1)'),
  optionalCondition('$2', 'EXISTS (SELECT FROM locations WHERE id = $2)'),
  optionalCondition('$3', 'EXISTS (SELECT FROM bookables WHERE id = $3 AND deleted_at IS NULL)'),
].join(' AND ')

const order = { 'lower(events.during)': 'timestamptz', 'events.id': 'bigint' } as const

const betweenDefinition = {
  rows: `${EVENT_ROWS_SQL} WHERE ${eventConditions} AND events.during && tstzrange($4, $5)`,
  order,
  parent,
}
export const eventsBetween = prepareListing({ ...betweenDefinition, name: 'events', item: listedEventJson })
const detailedEventsBetween = prepareListing({
  ...betweenDefinition,
  name: 'detailed-events',
  item: detailedEventJson,
})

// The listed day, in the time zone of the requested building, or of the building of the requested location or bookable.
// This is a subquery, so that Postgres computes it once and not for each event.
const TODAY_SQL = `(
  SELECT ${instantsOfDaySql('local.today', 'buildings.timezone')}
  FROM buildings, LATERAL (SELECT ($4::timestamptz AT TIME ZONE buildings.timezone)::date AS today) AS local
  WHERE buildings.id = coalesce(
    $1::bigint,
    (SELECT building_id FROM locations WHERE id = $2::bigint),
    (SELECT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = $3::bigint)))`

const todayDefinition = {
  rows: `${EVENT_ROWS_SQL} WHERE ${eventConditions} AND events.during && ${TODAY_SQL}`,
  order,
  parent,
}
export const eventsToday = prepareListing({ ...todayDefinition, name: 'events-today', item: todaysEventJson })
const detailedEventsToday = prepareListing({
  ...todayDefinition,
  name: 'detailed-events-today',
  item: detailedEventJson,
})

const unknownPlaceListing = {
  missing: message`There is no building, floor, desk or room with this id.`,
  refusals: ['not_found' as const],
}

type EventFilters = Partial<Record<'building_id' | 'location_id' | 'bookable_id', number>>

const listFilterValues = ({ building_id, location_id, bookable_id }: EventFilters) =>
  [building_id, location_id, bookable_id].map((id) => id ?? null)

const seriesWith = (event: JsonSql<InferType<typeof eventSchema>>) =>
  rowJson(eventSeriesSchema, 'series', {
    repeat: json('series.repeat'),
    events: selectJson(
      listJson(event, 'lower(events.during), events.id'),
      `FROM ${EVENT_ROWS_SQL} WHERE events.series_id = $1`,
    ),
  })
const seriesRows =
  'series WHERE series.id = $1 AND EXISTS (SELECT FROM events WHERE events.series_id = series.id)'
const seriesById = { name: 'find-event-series', text: selectDataBodySql(seriesWith(eventJson), seriesRows) }
const detailedSeriesById = {
  name: 'find-detailed-event-series',
  text: selectDataBodySql(seriesWith(detailedEventJson), seriesRows),
}

const missing = message`There is no meeting with this id.`
const SERIES_NOT_FOUND = message`There is no series with this id.`
const ATTENDEE_NOT_FOUND = message`There is no meeting with this id, or it has no such attendee.`

const eventChangeOptions = {
  query: scopedEventWriteQuery,
  refusals: [
    'booking_conflict',
    'bookable_blocked',
    'bookable_assigned',
    'event_cancelled',
    'outside_buildings',
    ...ROOM_RULE_REFUSALS,
  ],
  takesIfMatch: true,
  etagAfter: (known: string) => known,
} satisfies Partial<Parameters<typeof declareWriteEndpoint>[1]>

export const eventEndpoints = declareResourceEndpoints({ tag: 'Events', ability: 'booking-write', missing })({
  listTodaysEvents: declareListEndpoint('/events/today', {
    personal: 'meetings',
    ...unknownPlaceListing,
    ability: 'read',
    summary: 'List today’s events',
    description:
      'Today is the calendar day in the building’s time zone. At least one of the three ids is required; ' +
      'if you send several, an event must match all of them.',
    query: eventsTodayQuery,
    item: todaysEventSchema,
    listing: ({ query }) => (query.include ? detailedEventsToday : eventsToday),
    values: ({ query, now }) => [...listFilterValues(query), now],
  }),
  listEvents: declareListEndpoint('/events', {
    personal: 'meetings',
    ...unknownPlaceListing,
    ability: 'read',
    summary: 'List the events in a time range',
    query: eventsQuery,
    item: listedEventSchema,
    listing: ({ query }) => (query.include ? detailedEventsBetween : eventsBetween),
    values: ({ query }) => [...listFilterValues(query), query.from, query.to],
  }),
  getEvent: declareReadEndpoint('/events/{id}', {
    personal: 'meetings',
    ability: 'read',
    summary: 'Get an event',
    query: includeQuery,
    answer: eventSchema,
    statement: ({ query }) => (query.include ? detailedEventById : eventById),
  }),
  createEvent: declareWriteEndpoint('POST /events', {
    personal: 'own',
    ownerField: 'organizer_user_id',
    summary: 'Create an event',
    description:
      'Books all bookables of the event for its time. If one of them cannot be booked, the event is not created.',
    query: eventWriteQuery,
    body: newEventSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...ROOM_RULE_REFUSALS],
    job: 'events.create',
    etagAfter: (known) => known,
  }),
  replaceEvent: declareWriteEndpoint('PUT /events/{id}', {
    personal: 'own',
    summary: 'Replace an event',
    description:
      'Omitted fields are reset to their defaults, except organizer_user_id and from_time, which keep their values. ' +
      'Attendees who stay keep their id and their status.',
    ...eventChangeOptions,
    body: eventReplacementSchema,
    job: 'events.replace',
    seriesJob: 'event-series.replace-events',
  }),
  updateEvent: declareWriteEndpoint('PATCH /events/{id}', {
    personal: 'own',
    summary: 'Change an event',
    description:
      'Omitted fields stay unchanged. Attendees who stay keep their id and their status. A former organizer stays as an attendee.',
    ...eventChangeOptions,
    body: eventChangesSchema,
    job: 'events.update',
    seriesJob: 'event-series.update-events',
  }),
  checkInEvent: declareWriteEndpoint('POST /events/{id}/check-in', {
    personal: 'own',
    summary: 'Check in to the rooms of an event',
    description: 'Checks in to all rooms at once. Repeating the request has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended', 'event_cancelled'],
    job: 'events.check-in',
  }),
  answerInvitation: declareWriteEndpoint('POST /events/{id}/answer', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Answer an invitation',
    description:
      'Sets the status of an attendee who is a user. The organizer always attends. Repeating the request has no further effect.',
    body: ownAnswerSchema,
    refusals: ['event_cancelled', 'event_ended', 'changed_meanwhile', 'outside_buildings'],
    missing: ATTENDEE_NOT_FOUND,
    job: 'events.answer',
    input: ({ params, body: { user_id, ...answer } }) => ({ ...params, ...answer, attendee_id: user_id }),
  }),
  answerForAttendee: declareWriteEndpoint('POST /events/{id}/attendees/{attendee_id}/answer', {
    summary: 'Record the answer of an attendee',
    description: 'attendee_id is the id of a user or visitor as listed in attendees.',
    body: answerSchema,
    refusals: ['event_cancelled', 'event_ended', 'changed_meanwhile', 'outside_buildings'],
    missing: ATTENDEE_NOT_FOUND,
    job: 'events.answer',
  }),
  cancelEvent: declareWriteEndpoint('DELETE /events/{id}', {
    personal: 'own',
    summary: 'Cancel an event',
    description:
      'Releases the bookables of the event. A cancelled event can still be retrieved by its id, but no longer appears in lists.',
    query: eventScopeQuery,
    refusals: ['event_ended', 'outside_buildings'],
    takesIfMatch: true,
    job: 'events.delete',
    seriesJob: 'event-series.cancel-events',
  }),
  createEventSeries: declareWriteEndpoint('POST /events/series', {
    personal: 'own',
    ownerField: 'organizer_user_id',
    summary: 'Create a series of events',
    description:
      'Takes an event and how it repeats. The events keep their local time of day in from_timezone, or else in the time zone of the first room. A time that daylight saving skips moves to the next hour.',
    query: eventWriteQuery,
    body: newEventSeriesSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...ROOM_RULE_REFUSALS],
    job: 'event-series.create',
  }),
  getEventSeries: declareReadEndpoint('/event-series/{id}', {
    personal: 'meetings',
    ability: 'read',
    summary: 'Get a series with its events',
    query: includeQuery,
    answer: eventSeriesSchema,
    missing: SERIES_NOT_FOUND,
    statement: ({ query }) => (query.include ? detailedSeriesById : seriesById),
    isLarge: true,
  }),
  deleteEventSeries: declareWriteEndpoint('DELETE /event-series/{id}', {
    personal: 'own',
    summary: 'Cancel the upcoming events of a series',
    description:
      'Cancels the events that have not started, and a current one unless from is in the future. Past events stay.',
    query: deletedSeriesQuery('events'),
    refusals: ['outside_buildings'],
    missing: SERIES_NOT_FOUND,
    job: 'event-series.delete',
  }),
})
