// Locations over HTTP: their bookables, bookings and current occupancy.
import { occupancyQuery, occupancySchema, taggedBookableSchema } from '../../../shared/bookables/bookables.ts'
import { bookingInLocationSchema } from '../../../shared/bookings/bookings.ts'
import { locationInBuildingSchema } from '../../../shared/locations/locations.ts'
import { locationInBuildingJson } from '../../../shared/locations/locations-shape.ts'
import { message } from '../../../shared/messages/message.ts'
import { selectData } from '../../../shared/schemas/json.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { list, read, resource } from '../../http/endpoint.ts'
import {
  bookablesOfLocation,
  detailedOccupancyOfLocation,
  occupancyOfLocation,
} from '../bookables/bookables-queries.ts'
import { bookingsOfLocation, rangeValues } from '../bookings/bookings-queries.ts'

export const locationById = {
  name: 'find-location',
  text: selectData(
    locationInBuildingJson('locations', 'buildings'),
    'locations JOIN buildings ON buildings.id = locations.building_id WHERE locations.id = $1',
  ),
}

const missing = message`There is no location with this id.`

export const locations = resource({ tag: 'Locations', ability: 'read', missing }, [
  read({
    path: '/locations/{location_id}',
    name: 'getLocation',
    summary: 'Get a location',
    answer: locationInBuildingSchema,
    statement: locationById,
  }),
  list({
    path: '/locations/{location_id}/bookings',
    name: 'listLocationBookings',
    summary: 'List the bookings in a location',
    query: rangeQuery,
    item: bookingInLocationSchema,
    listing: bookingsOfLocation,
    values: rangeValues,
  }),
  list({
    path: '/locations/{location_id}/bookables',
    name: 'listLocationBookables',
    summary: 'List the bookables in a location',
    item: taggedBookableSchema,
    listing: bookablesOfLocation,
  }),
  list({
    path: '/locations/{location_id}/bookables/occupancy',
    name: 'getOccupancy',
    summary: 'List what is occupied now in a location',
    description:
      'Bookings and events both count. A bookable that is only blocked or assigned is not occupied.',
    query: occupancyQuery,
    item: occupancySchema,
    listing: ({ query }) => (query.details ? detailedOccupancyOfLocation : occupancyOfLocation),
    values: ({ now }) => [now],
  }),
])
