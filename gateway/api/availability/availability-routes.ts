// Availability over HTTP.
import { bookableDetailsSchema } from '../../../shared/bookables/bookables.ts'
import {
  availabilityQuery,
  bookableAvailabilityQuery,
  bookableAvailabilitySchema,
} from '../../../shared/bookings/availability.ts'
import { message } from '../../../shared/messages/message.ts'
import { list, read, resource } from '../../http/endpoint.ts'
import { availableBookables, timesOfBookable } from './availability-queries.ts'

export const availability = resource({ tag: 'Availability', ability: 'read' }, [
  list({
    path: '/availability',
    name: 'listAvailableBookables',
    summary: 'List the bookables that are free',
    description:
      'Those that are free for all of the time, not blocked, and open by the rules of their places, ordered by location, ' +
      'name and id. A home office is never taken.',
    refusals: ['not_found'],
    query: availabilityQuery,
    item: bookableDetailsSchema,
    missing: message`There is no building, location or active user with this id.`,
    listing: availableBookables,
    values: ({ query: { building_id, location_id, user_id, from, to, type, tag, capacity_min } }) =>
      [building_id, location_id, user_id, from, to, type, tag, capacity_min].map((value) => value ?? null),
  }),
  read({
    path: '/bookables/{id}/availability',
    name: 'getBookableAvailability',
    summary: 'Get the times when a bookable is free and taken',
    description:
      'Within the range that is asked for. A blocked bookable has no free times; a home office is always free.',
    query: bookableAvailabilityQuery,
    answer: bookableAvailabilitySchema,
    missing: message`There is no bookable with this id.`,
    statement: timesOfBookable,
    values: ({ query }) => [query.from, query.to],
    isLarge: true,
  }),
])
