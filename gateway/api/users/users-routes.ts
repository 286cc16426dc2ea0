// Users and their bookings over HTTP.

import { bookingOfUserSchema } from '../../../shared/bookings/bookings.ts'
import { message } from '../../../shared/messages/message.ts'
import { textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import {
  exportQuerySchema,
  importFormSchema,
  importResultSchema,
  userSchema,
  usersQuery,
  vehicleSchema,
} from '../../../shared/users/users.ts'
import { endpoint, list, read, resource } from '../../http/endpoint.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { bookingsOfEmail, bookingsOfUser, rangeValues } from '../bookings/bookings-queries.ts'
import { exportUsers, importUsers } from './users-import-export.ts'
import { activeUsers, searchPatterns, userByEmail, userById, vehiclesOfUser } from './users-queries.ts'

const missing = message`There is no active user with this id.`

const byEmail = {
  description: 'E-mails are matched case-insensitively.',
  params: object({ user_email: pathText() }),
  missing: message`There is no active user with this e-mail.`,
}

export const users = resource({ tag: 'Users', ability: 'read', missing }, [
  endpoint({
    method: 'POST',
    path: '/users/import',
    name: 'importUsers',
    ability: 'user-write',
    summary: 'Import users',
    description:
      'A form with the import file: csv, txt, ods, xls or xlsx. Rows with errors are left out; all others are imported. ' +
      'With “Prefer: respond-async” the answer is 202, with the URL of the job in Location.',
    body: importFormSchema,
    takesFile: true,
    isLong: true,
    answer: { status: 200, schema: importResultSchema },
    handle: importUsers,
  }),
  endpoint({
    method: 'GET',
    path: '/users/export',
    name: 'exportUsers',
    ability: 'user-write',
    summary: 'Export active users',
    description:
      'A csv or xlsx file. With “Prefer: respond-async” the answer is 202, with the URL of the job in Location.',
    query: exportQuerySchema,
    isLong: true,
    withoutHead: true,
    sendsFile: true,
    answer: { status: 200, schema: textAnswer(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    handle: exportUsers,
  }),
  list({
    path: '/users',
    name: 'listUsers',
    summary: 'List active users',
    query: usersQuery,
    item: userSchema,
    missing: message`There is no group with this id.`,
    refusals: ['not_found'],
    listing: activeUsers,
    values: ({ query: { search, group_id } }) => [group_id ?? null, searchPatterns(search)],
  }),
  read({
    path: '/users/{id}',
    name: 'getUser',
    summary: 'Get a user',
    answer: userSchema,
    statement: userById,
  }),
  read({
    ...byEmail,
    path: '/users/by-email/{user_email}',
    name: 'getUserByEmail',
    summary: 'Get a user by e-mail',
    answer: userSchema,
    statement: userByEmail,
  }),
  list({
    path: '/users/{user_id}/vehicles',
    name: 'listUserVehicles',
    summary: 'List the vehicles of a user',
    description: 'Their ids are what a booking takes as user_vehicle_id.',
    item: vehicleSchema,
    listing: vehiclesOfUser,
  }),
  list({
    path: '/users/{user_id}/bookings',
    name: 'listUserBookings',
    summary: 'List the bookings of a user',
    query: rangeQuery,
    item: bookingOfUserSchema,
    listing: bookingsOfUser,
    values: rangeValues,
  }),
  list({
    ...byEmail,
    path: '/users/by-email/{user_email}/bookings',
    name: 'listUserBookingsByEmail',
    summary: 'List the bookings of a user by e-mail',
    query: rangeQuery,
    item: bookingOfUserSchema,
    listing: bookingsOfEmail,
    values: rangeValues,
  }),
])
