// Buildings and their bookings over HTTP.
import { bookingInBuildingSchema } from '../../../shared/bookings/bookings.ts'
import { buildingSchema } from '../../../shared/buildings/buildings.ts'
import { message } from '../../../shared/messages/message.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { list, read, resource } from '../../http/endpoint.ts'
import { bookingsOfBuilding, rangeValues } from '../bookings/bookings-queries.ts'
import { allBuildings, buildingById } from './buildings-queries.ts'

const missing = message`There is no building with this id.`

export const buildings = resource({ tag: 'Buildings', ability: 'read', missing }, [
  list({
    path: '/buildings',
    name: 'listBuildings',
    summary: 'List all buildings, with their locations',
    item: buildingSchema,
    listing: allBuildings,
  }),
  read({
    path: '/buildings/{id}',
    name: 'getBuilding',
    summary: 'Get a building, with its locations',
    answer: buildingSchema,
    statement: buildingById,
  }),
  list({
    path: '/buildings/{building_id}/bookings',
    name: 'listBuildingBookings',
    summary: 'List the bookings in a building',
    query: rangeQuery,
    item: bookingInBuildingSchema,
    listing: bookingsOfBuilding,
    values: rangeValues,
  }),
])
