// The API endpoints for buildings and their bookings.
import { bookingInBuildingSchema } from '../../../../shared/bookings/bookings.ts'
import {
  buildingChangesSchema,
  buildingJson,
  buildingSchema,
  fullBuildingSchema,
  newBuildingSchema,
  selectBuildingSql,
} from '../../../../shared/buildings/buildings.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import { filteredBookingsOfBuilding } from '../bookings/filtered-bookings.ts'

export const buildingById = { name: 'find-building', text: selectBuildingSql('$1') }

const missing = message`There is no building with this id.`

export const buildingEndpoints = declareResourceEndpoints({ tag: 'Buildings', ability: 'read', missing })({
  listBuildings: declareListEndpoint('/buildings', {
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
  getBuilding: declareReadEndpoint('/buildings/{id}', {
    personal: 'own',
    summary: 'Get a building, with its locations',
    answer: fullBuildingSchema,
    statement: buildingById,
  }),
  createBuilding: declareWriteEndpoint('POST /buildings', {
    ability: 'object-write',
    summary: 'Create a building',
    description: 'Tokens that are limited to buildings cannot create buildings.',
    body: newBuildingSchema,
    refusals: ['outside_buildings'],
    job: 'buildings.create',
    etagAfter: (known) => known,
  }),
  updateBuilding: declareWriteEndpoint('PATCH /buildings/{id}', {
    ability: 'object-write',
    summary: 'Change a building',
    description: 'Omitted fields stay unchanged.',
    body: buildingChangesSchema,
    takesIfMatch: true,
    job: 'buildings.update',
    etagAfter: (known) => known,
  }),
  deleteBuilding: declareWriteEndpoint('DELETE /buildings/{id}', {
    ability: 'object-write',
    summary: 'Delete a building',
    description: 'A building that has locations cannot be deleted.',
    refusals: ['in_use'],
    takesIfMatch: true,
    job: 'buildings.delete',
  }),
  listBuildingBookings: declareListEndpoint('/buildings/{building_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings in a building',
    ...filteredBookingsOfBuilding,
    item: bookingInBuildingSchema,
  }),
})
