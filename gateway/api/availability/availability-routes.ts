// Availability over HTTP.

import { bookableDetailsSchema } from '../../../shared/bookables/bookables.ts'
import {
  availabilityQuery,
  bookableAvailabilityQuery,
  bookableAvailabilitySchema,
} from '../../../shared/bookings/availability.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { read } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { availableBookables, findBookableAvailability } from './availability-queries.ts'

const common = { ability: 'read', tag: 'Availability' } as const

export const availability = [
  list({
    ...common,
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
    source: ({ query }) => ({
      listing: availableBookables,
      values: [
        query.building_id,
        query.location_id,
        query.user_id,
        query.from,
        query.to,
        query.type,
        query.tag,
        query.capacity_min,
      ].map((value) => value ?? null),
    }),
  }),
  read({
    ...common,
    path: '/bookables/{id}/availability',
    name: 'getBookableAvailability',
    summary: 'Get the times when a bookable is free and taken',
    description:
      'Within the range that is asked for. A blocked bookable has no free times; a home office is always free.',
    params: object({ id: pathId() }),
    query: bookableAvailabilityQuery,
    answer: dataAnswer(bookableAvailabilitySchema),
    missing: message`There is no bookable with this id.`,
    find: ({ params, query }, { pool }) => findBookableAvailability(pool, params.id, query),
  }),
]
