// Users and their bookings over HTTP.

import { bookingOfUserSchema } from '../../../shared/bookings/bookings.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataAnswer, textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId, pathText } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import {
  exportQuerySchema,
  importFormSchema,
  importResultSchema,
  userSchema,
  usersQuery,
  vehicleSchema,
} from '../../../shared/users/users.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { endpoint, read } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { bookingsOfEmail, bookingsOfUser, inRange } from '../bookings/bookings-queries.ts'
import { exportUsers, importUsers } from './users-import-export.ts'
import { activeUsers, findUser, findUserByEmail, searchPatterns, vehiclesOfUser } from './users-queries.ts'

const tag = 'Users'
const unknownId = message`There is no active user with this id.`
const unknownEmail = message`There is no active user with this e-mail.`
const byEmail = 'E-mails are matched case-insensitively.'

export const users = [
  endpoint({
    method: 'POST',
    path: '/users/import',
    name: 'importUsers',
    ability: 'user-write',
    tag,
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
    tag,
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
    ability: 'read',
    tag,
    summary: 'List active users',
    query: usersQuery,
    item: userSchema,
    missing: message`There is no group with this id.`,
    refusals: ['not_found'],
    source: ({ query: { search, group_id } }) => ({
      listing: activeUsers,
      values: [group_id ?? null, searchPatterns(search)],
    }),
  }),
  read({
    path: '/users/{id}',
    name: 'getUser',
    ability: 'read',
    tag,
    summary: 'Get a user',
    params: object({ id: pathId() }),
    answer: dataAnswer(userSchema),
    missing: unknownId,
    find: ({ params }, { pointReads }) => findUser(pointReads, params.id),
  }),
  read({
    path: '/users/by-email/{user_email}',
    name: 'getUserByEmail',
    ability: 'read',
    tag,
    summary: 'Get a user by e-mail',
    description: byEmail,
    params: object({ user_email: pathText() }),
    answer: dataAnswer(userSchema),
    missing: unknownEmail,
    find: ({ params }, { pointReads }) => findUserByEmail(pointReads, params.user_email),
  }),
  list({
    path: '/users/{user_id}/vehicles',
    name: 'listUserVehicles',
    ability: 'read',
    tag,
    summary: 'List the vehicles of a user',
    description: 'Their ids are what a booking takes as user_vehicle_id.',
    params: object({ user_id: pathId() }),
    item: vehicleSchema,
    missing: unknownId,
    source: ({ params }) => ({ listing: vehiclesOfUser, values: [params.user_id] }),
  }),
  list({
    path: '/users/{user_id}/bookings',
    name: 'listUserBookings',
    ability: 'read',
    tag,
    summary: 'List the bookings of a user',
    params: object({ user_id: pathId() }),
    query: rangeQuery,
    item: bookingOfUserSchema,
    missing: unknownId,
    source: (call) => inRange(bookingsOfUser, call, call.params.user_id),
  }),
  list({
    path: '/users/by-email/{user_email}/bookings',
    name: 'listUserBookingsByEmail',
    ability: 'read',
    tag,
    summary: 'List the bookings of a user by e-mail',
    description: byEmail,
    params: object({ user_email: pathText() }),
    query: rangeQuery,
    item: bookingOfUserSchema,
    missing: unknownEmail,
    source: (call) => inRange(bookingsOfEmail, call, call.params.user_email),
  }),
]
