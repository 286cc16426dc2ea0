// Buildings and their bookings over HTTP.
import { bookingInBuildingSchema } from '../../../../shared/bookings/bookings.ts'
import {
  buildingChangesSchema,
  buildingJson,
  buildingSchema,
  fullBuildingSchema,
  newBuildingSchema,
  selectBuilding,
} from '../../../../shared/buildings/buildings.ts'
import { message } from '../../../../shared/messages/message.ts'
import { list, read, resource, write } from '../../../server/http/endpoint.ts'
import { filteredBookingsOfBuilding } from '../bookings/filtered-bookings.ts'

export const buildingById = { name: 'find-building', text: selectBuilding('$1') }

const missing = message`There is no building with this id.`

export const buildings = resource({ tag: 'Buildings', ability: 'read', missing })({
  listBuildings: list('/buildings', {
    personal: 'own',
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
    personal: 'own',
    summary: 'Get a building, with its locations',
    answer: fullBuildingSchema,
    statement: buildingById,
  }),
  createBuilding: write('POST /buildings', {
    ability: 'object-write',
    summary: 'Create a building',
    description: 'Tokens that are limited to buildings cannot create buildings.',
    body: newBuildingSchema,
    refusals: ['outside_buildings'],
    job: 'buildings.create',
    etagAfter: (known) => known,
  }),
  updateBuilding: write('PATCH /buildings/{id}', {
    ability: 'object-write',
    summary: 'Change a building',
    description: 'Omitted fields stay unchanged.',
    body: buildingChangesSchema,
    takesIfMatch: true,
    job: 'buildings.update',
    etagAfter: (known) => known,
  }),
  deleteBuilding: write('DELETE /buildings/{id}', {
    ability: 'object-write',
    summary: 'Delete a building',
    description: 'A building that has locations cannot be deleted.',
    refusals: ['in_use'],
    takesIfMatch: true,
    job: 'buildings.delete',
  }),
  listBuildingBookings: list('/buildings/{building_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings in a building',
    ...filteredBookingsOfBuilding,
    item: bookingInBuildingSchema,
  }),
})
