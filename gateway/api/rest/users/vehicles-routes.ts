// The API endpoints for the vehicles of a user.
import { message } from '../../../../shared/messages/message.ts'
import { newVehicleSchema, vehicleChangesSchema } from '../../../../shared/users/user-fields.ts'
import { vehicleJson, vehicleSchema } from '../../../../shared/users/users.ts'
import {
  declareListEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const vehicleOptions = {
  tag: 'Users',
  ability: 'user-write',
  missing: message`There is no active person with this id.`,
} as const
const missing = message`This person has no vehicle with this id.`

export const vehicleEndpoints = declareResourceEndpoints(vehicleOptions)({
  listUserVehicles: declareListEndpoint('/users/{user_id}/vehicles', {
    personal: 'own',
    ability: 'read',
    summary: 'List the vehicles of a user',
    description: 'Use the id of a vehicle as user_vehicle_id of a booking.',
    item: vehicleSchema,
    listing: {
      name: 'vehicles-of-user',
      item: vehicleJson,
      rows: 'vehicles WHERE vehicles.user_id = $1',
      order: { 'vehicles.id': 'bigint' },
      parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
    },
  }),
  createUserVehicle: declareWriteEndpoint('POST /users/{user_id}/vehicles', {
    summary: 'Add a vehicle to a user',
    body: newVehicleSchema,
    refusals: ['import_running'],
    job: 'users.add-vehicle',
  }),
  updateUserVehicle: declareWriteEndpoint('PATCH /users/{user_id}/vehicles/{id}', {
    summary: 'Change the license plate of a vehicle',
    description: 'Existing bookings keep the previous plate.',
    body: vehicleChangesSchema,
    refusals: ['import_running'],
    missing,
    job: 'users.change-vehicle',
  }),
  deleteUserVehicle: declareWriteEndpoint('DELETE /users/{user_id}/vehicles/{id}', {
    summary: 'Delete a vehicle of a user',
    description: 'Existing bookings keep the plate.',
    refusals: ['import_running'],
    missing,
    job: 'users.delete-vehicle',
  }),
})
