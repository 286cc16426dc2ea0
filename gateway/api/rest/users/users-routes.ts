// The API endpoints for users and their bookings.
import { bookingOfUserSchema } from '../../../../shared/bookings/bookings.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../../shared/schemas/fields.ts'
import { newUserSchema, userChangesSchema } from '../../../../shared/users/user-fields.ts'
import {
  type ExportFormat,
  exportQuerySchema,
  groupJson,
  groupSchema,
  importFormSchema,
  importResultSchema,
  selectUserSql,
  userJson,
  userSchema,
  usersQuery,
} from '../../../../shared/users/users.ts'
import { toLikePattern } from '../../../reads/rows/like-patterns.ts'
import { findUserCandidates } from '../../../reads/rows/user-texts.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import {
  declareEndpoint,
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
  type Endpoint,
} from '../../../server/http/endpoint.ts'
import { EXPORT_CONTENT_TYPES, sendExport } from '../../../server/http/export-answer.ts'
import type { ListingDefinition } from '../../../server/http/listing.ts'
import { deleteFiles } from '../../../server/uploads/stored-files.ts'
import { bookingRange, bookingsOfEmail, bookingsOfUser } from '../bookings/bookings-queries.ts'

type ImportForm = Omit<InputOf<'users.import'>, 'file_id' | 'filename'>

async function importUsers(call: Call<unknown, unknown, ImportForm>): Promise<Answer> {
  const { upload } = call.ctx.state
  if (!upload) throw new Error('The form has not been read')
  const input = { ...call.body, file_id: upload.fileId, filename: upload.filename }
  const answer = call.wantsAsync
    ? await call.accept('users.import', input)
    : await call.dispatch('users.import', input, { signal: call.signal })
  // Deletes the uploaded file, unless an accepted job still needs it.
  if (!call.wantsAsync || answer.replayed) deleteFiles(call.services.primary, [upload.fileId])
  return answer
}

async function exportUsers(call: Call<unknown, { format: ExportFormat }>): Promise<Answer> {
  const { format } = call.query
  if (call.wantsAsync) return call.accept('users.export', { format })
  return sendExport({
    primary: call.services.primary,
    signal: call.signal,
    name: `users-${call.now.slice(0, 10)}.${format}`,
    contentType: EXPORT_CONTENT_TYPES[format],
    dispatch: (options) => call.dispatch('users.export', { format }, options),
  })
}

const IS_ACTIVE_SQL = 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)'

const SELECT_MEMBERS = 'SELECT user_id FROM group_members WHERE group_id = $1'

const splitWords = (search = '') => search.toLowerCase().split(/\s+/).filter(Boolean)

/** Returns a pattern for each word of the search, or null if there is no search. */
function toSearchPatterns(search: string | undefined): string[] | null {
  const words = splitWords(search)
  return words.length > 0 ? words.map(toLikePattern) : null
}

/** Lists active users. The parameters are a group, the patterns of a search and, with `found`, the users to search. */
const activeUsersListing = ({ found = false } = {}): ListingDefinition => ({
  name: found ? 'users-found' : 'users',
  item: userJson,
  rows: `users WHERE users.deactivated_at IS NULL
    AND ($2::text[] IS NULL OR lower(users.name || ' ' || users.email) LIKE ALL ($2))
    AND ($1::bigint IS NULL OR users.id IN (${SELECT_MEMBERS}))${found ? ' AND users.id = ANY ($3::bigint[])' : ''}`,
  order: { 'users.id': 'bigint' },
  parent: '$1::bigint IS NULL OR EXISTS (SELECT FROM groups WHERE id = $1)',
})

const missing = message`There is no active person with this id.`

/**
 * Options shared by the endpoints that write one user. Imports write users too, so a user cannot be written during an
 * import.
 */
const userWriteOptions: Pick<Endpoint, 'ability' | 'refusals'> = {
  ability: 'user-write',
  refusals: ['import_running'],
}
const activationOptions = { ...userWriteOptions, missing: message`There is no person with this id.` }

const toJobFields = <Fields extends { extensionAttributes?: unknown }>({
  extensionAttributes,
  ...fields
}: Fields) => ({
  ...fields,
  extension_attributes: extensionAttributes as Fields['extensionAttributes'],
})

const byEmailOptions = {
  description: 'E-mail addresses are matched case-insensitively.',
  params: object({ user_email: pathText() }),
  missing: message`There is no active person with this e-mail.`,
}

export const userEndpoints = declareResourceEndpoints({ tag: 'Users', ability: 'read', missing })({
  importUsers: declareEndpoint('POST /users/import', {
    ability: 'user-write',
    summary: 'Import users',
    description:
      'Takes a form with the import file (csv, txt, ods, xls or xlsx). Rows with errors are skipped; all others are imported. ' +
      'With “Prefer: respond-async” the answer is 202, with the URL of the job in Location.',
    body: importFormSchema,
    takesFile: true,
    isLong: true,
    answer: { status: 200, schema: importResultSchema },
    handle: importUsers,
  }),
  exportUsers: declareEndpoint('GET /users/export', {
    ability: 'user-write',
    summary: 'Export active users',
    description:
      'Returns a csv or xlsx file. With “Prefer: respond-async” the answer is 202, with the URL of the job in Location.',
    query: exportQuerySchema,
    isLong: true,
    withoutHead: true,
    sendsFile: true,
    answer: { status: 200, schema: answer.file(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    handle: exportUsers,
  }),
  listUsers: declareListEndpoint('/users', {
    summary: 'List active users',
    query: usersQuery,
    item: userSchema,
    missing: message`There is no group with this id.`,
    refusals: ['not_found'],
    listing: activeUsersListing(),
    narrow: {
      listing: activeUsersListing({ found: true }),
      async values({ query: { search, group_id } }, database) {
        const found = await findUserCandidates(database, splitWords(search))
        return found === undefined ? undefined : [group_id ?? null, toSearchPatterns(search), found]
      },
    },
    values: ({ query: { search, group_id } }) => [group_id ?? null, toSearchPatterns(search)],
  }),
  getUser: declareReadEndpoint('/users/{id}', {
    personal: 'own',
    summary: 'Get a user',
    answer: userSchema,
    statement: {
      name: 'find-user',
      text: selectUserSql('users.id = $1'),
    },
  }),
  getUserByEmail: declareReadEndpoint('/users/by-email/{user_email}', {
    personal: 'own',
    ...byEmailOptions,
    summary: 'Get a user by e-mail',
    answer: userSchema,
    statement: {
      name: 'find-user-by-email',
      text: selectUserSql('lower(users.email) = lower($1)'),
    },
  }),
  createUser: declareWriteEndpoint('POST /users', {
    ...userWriteOptions,
    summary: 'Create a user',
    description: 'E-mail address and UPN must be unique, ignoring letter case. Deactivated users count too.',
    body: newUserSchema,
    job: 'users.create',
    input: ({ body }) => toJobFields(body),
    etagAfter: (known) => known,
  }),
  updateUser: declareWriteEndpoint('PATCH /users/{id}', {
    ...userWriteOptions,
    summary: 'Change a user',
    description: 'Omitted fields stay unchanged.',
    body: userChangesSchema,
    takesIfMatch: true,
    job: 'users.update',
    input: ({ params, body, ifMatch }) => ({ ...toJobFields(body), id: params.id, if_match: ifMatch }),
    etagAfter: (known) => known,
  }),
  deactivateUser: declareWriteEndpoint('POST /users/{id}/deactivate', {
    ...activationOptions,
    summary: 'Deactivate a user',
    description:
      'Keeps the user’s bookings and revokes their calendar addresses. Deactivating a deactivated user changes nothing.',
    job: 'users.set-active',
    input: ({ params }) => ({ id: params.id, is_active: false }),
  }),
  restoreUser: declareWriteEndpoint('POST /users/{id}/restore', {
    ...activationOptions,
    summary: 'Restore a deactivated user',
    description: 'Restoring an active user changes nothing.',
    job: 'users.set-active',
    input: ({ params }) => ({ id: params.id, is_active: true }),
  }),
  releaseUserBookings: declareWriteEndpoint('POST /users/{id}/release-bookings', {
    ...activationOptions,
    ability: 'booking-write',
    summary: 'Release the bookings of a deactivated user',
    description:
      'Deletes upcoming bookings and ends current ones, including home offices. Repeating the request has no further effect. Events that the user organizes stay.',
    job: 'bookings.release',
    input: ({ params }) => ({ user_ids: [params.id] }),
  }),
  listUserGroups: declareListEndpoint('/users/{user_id}/groups', {
    summary: 'List the groups of a user',
    item: groupSchema,
    listing: {
      name: 'groups-of-user',
      item: groupJson,
      rows: 'groups JOIN group_members ON group_members.group_id = groups.id WHERE group_members.user_id = $1',
      order: { 'groups.id': 'bigint' },
      parent: IS_ACTIVE_SQL,
    },
  }),
  listUserBookings: declareListEndpoint('/users/{user_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings of a user',
    ...bookingRange,
    item: bookingOfUserSchema,
    listing: bookingsOfUser,
  }),
  listUserBookingsByEmail: declareListEndpoint('/users/by-email/{user_email}/bookings', {
    personal: 'own',
    ...byEmailOptions,
    summary: 'List the bookings of a user by e-mail',
    ...bookingRange,
    item: bookingOfUserSchema,
    listing: bookingsOfEmail,
  }),
})
