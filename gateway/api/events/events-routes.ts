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
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { eventsBetween, eventsToday, findEvent } from './events-queries.ts'

const common = {
  ability: 'read',
  tag: 'Events',
  missing: message`There is no building, location or bookable with this id.`,
  refusals: ['not_found'],
} satisfies Partial<Parameters<typeof list>[0]>

type EventFilters = {
  building_id?: number | undefined
  location_id?: number | undefined
  bookable_id?: number | undefined
}

const filterValues = ({
  building_id = undefined,
  location_id = undefined,
  bookable_id = undefined,
}: EventFilters) => [building_id, location_id, bookable_id].map((id) => id ?? null)

export const events = [
  list({
    ...common,
    path: '/events/today',
    name: 'listTodaysEvents',
    summary: 'List today’s events',
    description:
      'Today is the calendar day in the building’s time zone. At least one of the three ids is required; ' +
      'if there are several, an event must match all of them.',
    query: eventsTodayQuery,
    item: todaysEventSchema,
    source: ({ query, now }) => ({ listing: eventsToday, values: [...filterValues(query), now] }),
  }),
  list({
    ...common,
    path: '/events',
    name: 'listEvents',
    summary: 'List the events in a time range',
    query: eventsQuery,
    item: listedEventSchema,
    source: ({ query }) => ({
      listing: eventsBetween,
      values: [...filterValues(query), query.from, query.to],
    }),
  }),
  read({
    path: '/events/{id}',
    name: 'getEvent',
    ability: 'read',
    tag: 'Events',
    summary: 'Get an event',
    params: object({ id: pathId() }),
    answer: dataAnswer(eventSchema),
    missing: message`There is no event with this id.`,
    find: ({ params }, { pointReads }) => findEvent(pointReads, params.id),
  }),
  write({
    method: 'POST',
    path: '/events',
    name: 'createEvent',
    ability: 'booking-write',
    tag: 'Events',
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
    ability: 'booking-write',
    tag: 'Events',
    summary: 'Replace an event',
    description:
      'Absent fields are reset to their defaults, except organizer_user_id and from_time, which keep their values. ' +
      'Attendees who stay keep their id and their status.',
    params: object({ id: pathId() }),
    body: eventReplacementSchema,
    refusals: [
      'booking_conflict',
      'bookable_blocked',
      'bookable_assigned',
      'event_cancelled',
      'outside_buildings',
      ...ROOM_RULE_REFUSALS,
    ],
    missing: message`There is no event with this id.`,
    takesIfMatch: true,
    job: 'events.replace',
    etagAfter: (known) => known,
    input: ({ params, body, ifMatch }) => ({ ...body, id: params.id, if_match: ifMatch }),
  }),
  write({
    method: 'POST',
    path: '/events/{id}/check-in',
    name: 'checkInEvent',
    ability: 'booking-write',
    tag: 'Events',
    summary: 'Check in to the rooms of an event',
    description: 'To all of them at once. Repeating it has no further effect.',
    params: object({ id: pathId() }),
    refusals: ['check_in_too_early', 'booking_ended', 'event_cancelled'],
    missing: message`There is no event with this id.`,
    job: 'events.check-in',
    input: ({ params }) => ({ id: params.id }),
  }),
  write({
    method: 'DELETE',
    path: '/events/{id}',
    name: 'cancelEvent',
    ability: 'booking-write',
    tag: 'Events',
    summary: 'Cancel an event',
    description:
      'Its bookables are free again. It can still be read by its id, and is in no listing any more.',
    params: object({ id: pathId() }),
    refusals: ['event_ended', 'outside_buildings'],
    missing: message`There is no event with this id.`,
    takesIfMatch: true,
    job: 'events.delete',
    input: ({ params, ifMatch }) => ({ id: params.id, if_match: ifMatch }),
  }),
]
