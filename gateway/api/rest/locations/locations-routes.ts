// The API endpoints for locations: their bookables, bookings and current occupancy.
import {
  occupancyQuery,
  occupancySchema,
  taggedBookableSchema,
} from '../../../../shared/bookables/bookables.ts'
import { bookingInLocationSchema } from '../../../../shared/bookings/bookings.ts'
import {
  FLOOR_PLAN_TYPES,
  fullLocationSchema,
  locationChangesSchema,
  newLocationSchema,
  selectLocationSql,
} from '../../../../shared/locations/locations.ts'
import { message } from '../../../../shared/messages/message.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import {
  declareEndpoint,
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import {
  bookablesOfLocation,
  detailedOccupancyOfLocation,
  occupancyOfLocation,
} from '../bookables/bookables-routes.ts'
import { filteredBookingsOfLocation } from '../bookings/filtered-bookings.ts'
import { answerFloorPlan } from './floor-plan.ts'

export const locationById = { name: 'find-location', text: selectLocationSql('$1') }

const missing = message`There is no floor with this id.`

export const locationEndpoints = declareResourceEndpoints({ tag: 'Locations', ability: 'read', missing })({
  getLocation: declareReadEndpoint('/locations/{location_id}', {
    personal: 'own',
    summary: 'Get a location',
    answer: fullLocationSchema,
    statement: locationById,
  }),
  getFloorPlan: declareEndpoint('GET /locations/{location_id}/plan', {
    personal: 'own',
    summary: 'Get the floor plan of a location',
    description: 'Returns the picture as uploaded, without EXIF data. GET locations/{id} returns its size.',
    hasETag: true,
    answer: { status: 200, schema: answer.file(), contentTypes: FLOOR_PLAN_TYPES },
    handle: (call) => call.read(({ pool }) => answerFloorPlan(call.services, pool, call.params.location_id)),
  }),
  createLocation: declareWriteEndpoint('POST /locations', {
    ability: 'object-write',
    summary: 'Create a location',
    body: newLocationSchema,
    job: 'locations.create',
    etagAfter: (known) => known,
  }),
  updateLocation: declareWriteEndpoint('PATCH /locations/{location_id}', {
    ability: 'object-write',
    summary: 'Change a location',
    description:
      'Omitted fields stay unchanged. A location that moves to another building keeps its bookables and their bookings.',
    body: locationChangesSchema,
    takesIfMatch: true,
    job: 'locations.update',
    input: ({ params, body, ifMatch }) => ({ ...body, id: params.location_id, if_match: ifMatch }),
    etagAfter: (known) => known,
  }),
  deleteLocation: declareWriteEndpoint('DELETE /locations/{location_id}', {
    ability: 'object-write',
    summary: 'Delete a location',
    description: 'A location that has bookables, or in which anything was ever booked, cannot be deleted.',
    refusals: ['in_use'],
    takesIfMatch: true,
    job: 'locations.delete',
    input: ({ params, ifMatch }) => ({ id: params.location_id, if_match: ifMatch }),
  }),
  listLocationBookings: declareListEndpoint('/locations/{location_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings in a location',
    ...filteredBookingsOfLocation,
    item: bookingInLocationSchema,
  }),
  listLocationBookables: declareListEndpoint('/locations/{location_id}/bookables', {
    personal: 'own',
    summary: 'List the bookables in a location',
    item: taggedBookableSchema,
    listing: bookablesOfLocation,
  }),
  getOccupancy: declareListEndpoint('/locations/{location_id}/bookables/occupancy', {
    personal: 'own',
    summary: 'List the occupied bookables in a location',
    description:
      'Bookings and events both count. A bookable that is only blocked or assigned is not occupied.',
    query: occupancyQuery,
    item: occupancySchema,
    listing: ({ query }) => (query.details ? detailedOccupancyOfLocation : occupancyOfLocation),
    values: ({ now }) => [now],
  }),
})
