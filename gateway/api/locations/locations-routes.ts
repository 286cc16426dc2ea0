// Locations over HTTP: their bookables, bookings and current occupancy.
import { occupancyQuery, occupancySchema, taggedBookableSchema } from '../../../shared/bookables/bookables.ts'
import { bookingInLocationSchema } from '../../../shared/bookings/bookings.ts'
import { locationInBuildingJson, locationInBuildingSchema } from '../../../shared/locations/locations.ts'
import { message } from '../../../shared/messages/message.ts'
import { selectData } from '../../../shared/schemas/json.ts'
import { list, read, resource } from '../../http/endpoint.ts'
import {
  bookablesOfLocation,
  detailedOccupancyOfLocation,
  occupancyOfLocation,
} from '../bookables/bookables-routes.ts'
import { filteredBookingsOfLocation } from '../bookings/filtered-bookings.ts'

export const locationById = {
  name: 'find-location',
  text: selectData(
    locationInBuildingJson,
    'locations JOIN buildings ON buildings.id = locations.building_id WHERE locations.id = $1',
  ),
}

const missing = message`There is no location with this id.`

export const locations = resource({ tag: 'Locations', ability: 'read', missing })({
  getLocation: read('/locations/{location_id}', {
    summary: 'Get a location',
    answer: locationInBuildingSchema,
    statement: locationById,
  }),
  listLocationBookings: list('/locations/{location_id}/bookings', {
    summary: 'List the bookings in a location',
    ...filteredBookingsOfLocation,
    item: bookingInLocationSchema,
  }),
  listLocationBookables: list('/locations/{location_id}/bookables', {
    summary: 'List the bookables in a location',
    item: taggedBookableSchema,
    listing: bookablesOfLocation,
  }),
  getOccupancy: list('/locations/{location_id}/bookables/occupancy', {
    summary: 'List what is occupied now in a location',
    description:
      'Bookings and events both count. A bookable that is only blocked or assigned is not occupied.',
    query: occupancyQuery,
    item: occupancySchema,
    listing: ({ query }) => (query.details ? detailedOccupancyOfLocation : occupancyOfLocation),
    values: ({ now }) => [now],
  }),
})
