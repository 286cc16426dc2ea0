// Events over HTTP.
import {
  eventReplacementSchema,
  eventSchema,
  eventsQuery,
  eventsTodayQuery,
  listedEventSchema,
  newEventSchema,
  todaysEventSchema,
} from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { ROOM_RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { list, read, resource, write } from '../../http/endpoint.ts'
import { eventById, eventsBetween, eventsToday } from './events-queries.ts'

const unknownPlace = {
  missing: message`There is no building, location or bookable with this id.`,
  refusals: ['not_found' as const],
}

type EventFilters = {
  building_id?: number | undefined
  location_id?: number | undefined
  bookable_id?: number | undefined
}

const filterValues = ({ building_id, location_id, bookable_id }: EventFilters) =>
  [building_id, location_id, bookable_id].map((id) => id ?? null)

const missing = message`There is no event with this id.`

export const events = resource({ tag: 'Events', ability: 'booking-write', missing }, [
  list({
    ...unknownPlace,
    path: '/events/today',
    name: 'listTodaysEvents',
    ability: 'read',
    summary: 'List today’s events',
    description:
      'Today is the calendar day in the building’s time zone. At least one of the three ids is required; ' +
      'if there are several, an event must match all of them.',
    query: eventsTodayQuery,
    item: todaysEventSchema,
    listing: eventsToday,
    values: ({ query, now }) => [...filterValues(query), now],
  }),
  list({
    ...unknownPlace,
    path: '/events',
    name: 'listEvents',
    ability: 'read',
    summary: 'List the events in a time range',
    query: eventsQuery,
    item: listedEventSchema,
    listing: eventsBetween,
    values: ({ query }) => [...filterValues(query), query.from, query.to],
  }),
  read({
    path: '/events/{id}',
    name: 'getEvent',
    ability: 'read',
    summary: 'Get an event',
    answer: eventSchema,
    statement: eventById,
  }),
  write({
    method: 'POST',
    path: '/events',
    name: 'createEvent',
    summary: 'Create an event',
    description:
      'Its bookables are booked for the time of the event: all of them, or the event is not created.',
    body: newEventSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...ROOM_RULE_REFUSALS],
    job: 'events.create',
    etagAfter: (known) => known,
    input: ({ body }) => body,
  }),
  write({
    method: 'PUT',
    path: '/events/{id}',
    name: 'replaceEvent',
    summary: 'Replace an event',
    description:
      'Absent fields are reset to their defaults, except organizer_user_id and from_time, which keep their values. ' +
      'Attendees who stay keep their id and their status.',
    body: eventReplacementSchema,
    refusals: [
      'booking_conflict',
      'bookable_blocked',
      'bookable_assigned',
      'event_cancelled',
      'outside_buildings',
      ...ROOM_RULE_REFUSALS,
    ],
    takesIfMatch: true,
    job: 'events.replace',
    etagAfter: (known) => known,
    input: ({ params, body, ifMatch }) => ({ ...body, id: params.id, if_match: ifMatch }),
  }),
  write({
    method: 'POST',
    path: '/events/{id}/check-in',
    name: 'checkInEvent',
    summary: 'Check in to the rooms of an event',
    description: 'To all of them at once. Repeating it has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended', 'event_cancelled'],
    job: 'events.check-in',
    input: ({ params }) => ({ id: params.id }),
  }),
  write({
    method: 'DELETE',
    path: '/events/{id}',
    name: 'cancelEvent',
    summary: 'Cancel an event',
    description:
      'Its bookables are free again. It can still be read by its id, and is in no listing any more.',
    refusals: ['event_ended', 'outside_buildings'],
    takesIfMatch: true,
    job: 'events.delete',
    input: ({ params, ifMatch }) => ({ id: params.id, if_match: ifMatch }),
  }),
])
