// Buildings and their bookings over HTTP.
import { bookingInBuildingSchema } from '../../../shared/bookings/bookings.ts'
import {
  buildingJson,
  buildingSchema,
  fullBuildingSchema,
  selectBuilding,
} from '../../../shared/buildings/buildings.ts'
import { message } from '../../../shared/messages/message.ts'
import { list, read, resource } from '../../http/endpoint.ts'
import { filteredBookingsOfBuilding } from '../bookings/filtered-bookings.ts'

export const buildingById = { name: 'find-building', text: selectBuilding('$1') }

const missing = message`There is no building with this id.`

export const buildings = resource({ tag: 'Buildings', ability: 'read', missing })({
  listBuildings: list('/buildings', {
    summary: 'List all buildings, with their locations',
    item: buildingSchema,
    listing: {
      name: 'buildings',
      item: buildingJson,
      rows: 'buildings WHERE true',
      order: { 'buildings.id': 'bigint' },
    },
  }),
  getBuilding: read('/buildings/{id}', {
    summary: 'Get a building, with its locations',
    answer: fullBuildingSchema,
    statement: buildingById,
  }),
  listBuildingBookings: list('/buildings/{building_id}/bookings', {
    summary: 'List the bookings in a building',
    ...filteredBookingsOfBuilding,
    item: bookingInBuildingSchema,
  }),
})
