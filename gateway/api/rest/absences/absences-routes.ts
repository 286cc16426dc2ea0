// The API endpoints for the absences of a user.
import { absenceSchema, newAbsenceSchema } from '../../../../shared/absences/absences.ts'
import { absenceJson } from '../../../../shared/absences/absences-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  declareListEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const absenceOptions = {
  tag: 'Users',
  ability: 'booking-write',
  missing: message`There is no active person with this id.`,
} as const

export const absenceEndpoints = declareResourceEndpoints(absenceOptions)({
  listUserAbsences: declareListEndpoint('/users/{user_id}/absences', {
    personal: 'own',
    ability: 'read',
    summary: 'List the absences of a user',
    description: 'Absences that ended more than a year ago are deleted.',
    item: absenceSchema,
    listing: {
      name: 'absences-of-user',
      item: absenceJson,
      rows: 'absences WHERE absences.user_id = $1',
      order: { 'absences.id': 'bigint' },
      parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
    },
  }),
  createUserAbsence: declareWriteEndpoint('POST /users/{user_id}/absences', {
    personal: 'own',
    summary: 'Record that a user is away',
    description:
      'Colleagues who may see the user also see the absence. Others can book for the user on these days only if the request overrides the absence. Absences of a user cannot overlap.',
    body: newAbsenceSchema,
    refusals: ['already_away'],
    job: 'absences.create',
  }),
  deleteUserAbsence: declareWriteEndpoint('DELETE /users/{user_id}/absences/{absence_id}', {
    personal: 'own',
    summary: 'Delete an absence of a user',
    description: 'Does not restore bookings that were released for the absence.',
    missing: message`This person has no absence with this id.`,
    job: 'absences.delete',
  }),
})
