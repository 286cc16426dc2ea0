// Locations over HTTP: their bookables, bookings and current occupancy.

import { occupancyQuery, occupancySchema, taggedBookableSchema } from '../../../shared/bookables/bookables.ts'
import { bookingInLocationSchema } from '../../../shared/bookings/bookings.ts'
import { locationInBuildingSchema } from '../../../shared/locations/locations.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { read } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import {
  bookablesOfLocation,
  detailedOccupancyOfLocation,
  occupancyOfLocation,
} from '../bookables/bookables-queries.ts'
import { bookingsOfLocation, inRange } from '../bookings/bookings-queries.ts'
import { findLocation } from './locations-queries.ts'

const common = {
  ability: 'read',
  tag: 'Locations',
  params: object({ location_id: pathId() }),
  missing: message`There is no location with this id.`,
} as const

export const locations = [
  read({
    ...common,
    path: '/locations/{location_id}',
    name: 'getLocation',
    summary: 'Get a location',
    answer: dataAnswer(locationInBuildingSchema),
    find: ({ params }, { pointReads }) => findLocation(pointReads, params.location_id),
  }),
  list({
    ...common,
    path: '/locations/{location_id}/bookings',
    name: 'listLocationBookings',
    summary: 'List the bookings in a location',
    query: rangeQuery,
    item: bookingInLocationSchema,
    source: (call) => inRange(bookingsOfLocation, call, call.params.location_id),
  }),
  list({
    ...common,
    path: '/locations/{location_id}/bookables',
    name: 'listLocationBookables',
    summary: 'List the bookables in a location',
    item: taggedBookableSchema,
    source: ({ params }) => ({ listing: bookablesOfLocation, values: [params.location_id] }),
  }),
  list({
    ...common,
    path: '/locations/{location_id}/bookables/occupancy',
    name: 'getOccupancy',
    summary: 'List what is occupied now in a location',
    description:
      'Bookings and events both count. A bookable that is only blocked or assigned is not occupied.',
    query: occupancyQuery,
    item: occupancySchema,
    source: ({ params, query, now }) => ({
      listing: query.details ? detailedOccupancyOfLocation : occupancyOfLocation,
      values: [params.location_id, now],
    }),
  }),
]
