// Events over HTTP.
import {
  eventChangesSchema,
  eventReplacementSchema,
  newEventSchema,
} from '../../../../shared/events/event-jobs.ts'
import {
  EVENT_STATUSES,
  eventSchema,
  eventsQuery,
  eventsTodayQuery,
  includeQuery,
  listedEventSchema,
  todaysEventSchema,
} from '../../../../shared/events/events.ts'
import {
  detailedEventJson,
  eventRows,
  listedEventJson,
  selectEvent,
  todaysEventJson,
} from '../../../../shared/events/events-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { ROOM_RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { list, read, resource, write } from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'

export const eventById = { name: 'find-event', text: selectEvent('$1') }
const detailedEventById = { name: 'find-detailed-event', text: selectEvent('$1', detailedEventJson) }

// The filters of events: $1 building, $2 location, $3 bookable, each null if not given. An event matches if
// one of its bookables does.
const whereGiven = (value: string, condition: string) => `(${value}::bigint IS NULL OR ${condition})`

const hasBookable = (condition: string) => `EXISTS (
  SELECT FROM bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  WHERE bookings.event_id = events.id AND ${condition})`

const filtered = [
  `events.status = ${EVENT_STATUSES.confirmed}`,
  whereGiven('$1', hasBookable('locations.building_id = $1')),
  whereGiven('$2', hasBookable('locations.id = $2')),
  whereGiven('$3', hasBookable('bookables.id = $3')),
].join(' AND ')

const parent = [
  whereGiven('$1', 'EXISTS (SELECT FROM buildings WHERE id = $1)'),
  whereGiven('$2', 'EXISTS (SELECT FROM locations WHERE id = $2)'),
  whereGiven('$3', 'EXISTS (SELECT FROM bookables WHERE id = $3 AND deleted_at IS NULL)'),
].join(' AND ')

const order = { 'lower(events.during)': 'timestamptz', 'events.id': 'bigint' } as const

const between = {
  rows: `${eventRows} WHERE ${filtered} AND events.during && tstzrange($4, $5)`,
  order,
  parent,
}
export const eventsBetween = prepareListing({ ...between, name: 'events', item: listedEventJson })
const detailedEventsBetween = prepareListing({
  ...between,
  name: 'detailed-events',
  item: detailedEventJson,
})

// The day is local to a building: the requested one, or that of the location or the bookable.
const timezone = `(
  SELECT buildings.timezone
  FROM buildings
  WHERE buildings.id = coalesce(
    $1::bigint,
    (SELECT building_id FROM locations WHERE id = $2::bigint),
    (SELECT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = $3::bigint)))`

// Midnight is computed in local time, so that a day of 23 or 25 hours is a whole day.
const midnight = (days: number) =>
  `(date_trunc('day', $4::timestamptz AT TIME ZONE ${timezone}) + interval '${days} day') AT TIME ZONE ${timezone}`

const today = {
  rows: `${eventRows} WHERE ${filtered} AND events.during && tstzrange(${midnight(0)}, ${midnight(1)})`,
  order,
  parent,
}
export const eventsToday = prepareListing({ ...today, name: 'events-today', item: todaysEventJson })
const detailedEventsToday = prepareListing({
  ...today,
  name: 'detailed-events-today',
  item: detailedEventJson,
})

const unknownPlace = {
  missing: message`There is no building, floor, desk or room with this id.`,
  refusals: ['not_found' as const],
}

type EventFilters = Partial<Record<'building_id' | 'location_id' | 'bookable_id', number>>

const filterValues = ({ building_id, location_id, bookable_id }: EventFilters) =>
  [building_id, location_id, bookable_id].map((id) => id ?? null)

const missing = message`There is no meeting with this id.`

const changing = {
  query: includeQuery,
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
} satisfies Partial<Parameters<typeof write>[1]>

export const events = resource({ tag: 'Events', ability: 'booking-write', missing })({
  listTodaysEvents: list('/events/today', {
    personal: 'meetings',
    ...unknownPlace,
    ability: 'read',
    summary: 'List today’s events',
    description:
      'Today is the calendar day in the building’s time zone. At least one of the three ids is required; ' +
      'if you send several, an event must match all of them.',
    query: eventsTodayQuery,
    item: todaysEventSchema,
    listing: ({ query }) => (query.include ? detailedEventsToday : eventsToday),
    values: ({ query, now }) => [...filterValues(query), now],
  }),
  listEvents: list('/events', {
    personal: 'meetings',
    ...unknownPlace,
    ability: 'read',
    summary: 'List the events in a time range',
    query: eventsQuery,
    item: listedEventSchema,
    listing: ({ query }) => (query.include ? detailedEventsBetween : eventsBetween),
    values: ({ query }) => [...filterValues(query), query.from, query.to],
  }),
  getEvent: read('/events/{id}', {
    personal: 'meetings',
    ability: 'read',
    summary: 'Get an event',
    query: includeQuery,
    answer: eventSchema,
    statement: ({ query }) => (query.include ? detailedEventById : eventById),
  }),
  createEvent: write('POST /events', {
    personal: 'own',
    ownerField: 'organizer_user_id',
    summary: 'Create an event',
    description:
      'Books all bookables of the event for its time. If one of them cannot be booked, the event is not created.',
    query: includeQuery,
    body: newEventSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...ROOM_RULE_REFUSALS],
    job: 'events.create',
    etagAfter: (known) => known,
  }),
  replaceEvent: write('PUT /events/{id}', {
    personal: 'own',
    summary: 'Replace an event',
    description:
      'Omitted fields are reset to their defaults, except organizer_user_id and from_time, which keep their values. ' +
      'Attendees who stay keep their id and their status.',
    ...changing,
    body: eventReplacementSchema,
    job: 'events.replace',
  }),
  updateEvent: write('PATCH /events/{id}', {
    personal: 'own',
    summary: 'Change an event',
    description:
      'Omitted fields stay unchanged. Attendees who stay keep their id and their status. A former organizer stays as an attendee.',
    ...changing,
    body: eventChangesSchema,
    job: 'events.update',
  }),
  checkInEvent: write('POST /events/{id}/check-in', {
    personal: 'own',
    summary: 'Check in to the rooms of an event',
    description: 'Checks in to all rooms at once. Repeating the request has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended', 'event_cancelled'],
    job: 'events.check-in',
  }),
  cancelEvent: write('DELETE /events/{id}', {
    personal: 'own',
    summary: 'Cancel an event',
    description:
      'Releases the bookables of the event. A cancelled event can still be retrieved by its id, but no longer appears in lists.',
    refusals: ['event_ended', 'outside_buildings'],
    takesIfMatch: true,
    job: 'events.delete',
  }),
})
