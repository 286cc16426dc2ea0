// Users and their bookings over HTTP.
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
  selectUser,
  userJson,
  userSchema,
  usersQuery,
} from '../../../../shared/users/users.ts'
import { likePattern } from '../../../reads/rows/like-patterns.ts'
import { findCandidates } from '../../../reads/rows/user-texts.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { type Endpoint, endpoint, list, read, resource, write } from '../../../server/http/endpoint.ts'
import { EXPORT_CONTENT_TYPES, sendExport } from '../../../server/http/export-answer.ts'
import type { ListingDefinition } from '../../../server/http/listing.ts'
import { deleteFiles } from '../../../server/uploads/stored-files.ts'
import { bookingsOfEmail, bookingsOfUser, inRange } from '../bookings/bookings-queries.ts'

type ImportForm = Omit<InputOf<'users.import'>, 'file_id' | 'filename'>

async function importUsers(call: Call<unknown, unknown, ImportForm>): Promise<Answer> {
  const { upload } = call.ctx.state
  if (!upload) throw new Error('The form has not been read')
  const input = { ...call.body, file_id: upload.fileId, filename: upload.filename }
  const answer = call.wantsAsync
    ? await call.accept('users.import', input)
    : await call.dispatch('users.import', input, { signal: call.signal })
  // A job that was only just accepted still needs the file.
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

const IS_ACTIVE = 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)'

const MEMBERS = 'SELECT user_id FROM group_members WHERE group_id = $1'

const wordsOf = (search = '') => search.toLowerCase().split(/\s+/).filter(Boolean)

/** One pattern per word; null if there is no search. */
function searchPatterns(search: string | undefined): string[] | null {
  const words = wordsOf(search)
  return words.length > 0 ? words.map(likePattern) : null
}

/** The values are a group, the patterns of a search, and, if `found`, the users to look at. */
const activeUsers = ({ found = false } = {}): ListingDefinition => ({
  name: found ? 'users-found' : 'users',
  item: userJson,
  rows: `users WHERE users.deactivated_at IS NULL
    AND ($2::text[] IS NULL OR lower(users.name || ' ' || users.email) LIKE ALL ($2))
    AND ($1::bigint IS NULL OR users.id IN (${MEMBERS}))${found ? ' AND users.id = ANY ($3::bigint[])' : ''}`,
  order: { 'users.id': 'bigint' },
  parent: '$1::bigint IS NULL OR EXISTS (SELECT FROM groups WHERE id = $1)',
})

const missing = message`There is no active person with this id.`

/** Options shared by endpoints that write one user. Imports write users too, so they exclude each other. */
const writesUser: Pick<Endpoint, 'ability' | 'refusals'> = {
  ability: 'user-write',
  refusals: ['import_running'],
}
const setsActive = { ...writesUser, missing: message`There is no person with this id.` }

const jobFields = <Fields extends { extensionAttributes?: unknown }>({
  extensionAttributes,
  ...fields
}: Fields) => ({
  ...fields,
  extension_attributes: extensionAttributes as Fields['extensionAttributes'],
})

const byEmail = {
  description: 'E-mail addresses are matched case-insensitively.',
  params: object({ user_email: pathText() }),
  missing: message`There is no active person with this e-mail.`,
}

export const users = resource({ tag: 'Users', ability: 'read', missing })({
  importUsers: endpoint('POST /users/import', {
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
  exportUsers: endpoint('GET /users/export', {
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
  listUsers: list('/users', {
    summary: 'List active users',
    query: usersQuery,
    item: userSchema,
    missing: message`There is no group with this id.`,
    refusals: ['not_found'],
    listing: activeUsers(),
    narrow: {
      listing: activeUsers({ found: true }),
      async values({ query: { search, group_id } }, database) {
        const found = await findCandidates(database, wordsOf(search))
        return found === undefined ? undefined : [group_id ?? null, searchPatterns(search), found]
      },
    },
    values: ({ query: { search, group_id } }) => [group_id ?? null, searchPatterns(search)],
  }),
  getUser: read('/users/{id}', {
    personal: 'own',
    summary: 'Get a user',
    answer: userSchema,
    statement: {
      name: 'find-user',
      text: selectUser('users.id = $1'),
    },
  }),
  getUserByEmail: read('/users/by-email/{user_email}', {
    personal: 'own',
    ...byEmail,
    summary: 'Get a user by e-mail',
    answer: userSchema,
    statement: {
      name: 'find-user-by-email',
      text: selectUser('lower(users.email) = lower($1)'),
    },
  }),
  createUser: write('POST /users', {
    ...writesUser,
    summary: 'Create a user',
    description: 'E-mail address and UPN must be unique, ignoring letter case. Deactivated users count too.',
    body: newUserSchema,
    job: 'users.create',
    input: ({ body }) => jobFields(body),
    etagAfter: (known) => known,
  }),
  updateUser: write('PATCH /users/{id}', {
    ...writesUser,
    summary: 'Change a user',
    description: 'Omitted fields stay unchanged.',
    body: userChangesSchema,
    takesIfMatch: true,
    job: 'users.update',
    input: ({ params, body, ifMatch }) => ({ ...jobFields(body), id: params.id, if_match: ifMatch }),
    etagAfter: (known) => known,
  }),
  deactivateUser: write('POST /users/{id}/deactivate', {
    ...setsActive,
    summary: 'Deactivate a user',
    description:
      'Keeps the user’s bookings and revokes their calendar addresses. Deactivating a deactivated user changes nothing.',
    job: 'users.set-active',
    input: ({ params }) => ({ id: params.id, is_active: false }),
  }),
  restoreUser: write('POST /users/{id}/restore', {
    ...setsActive,
    summary: 'Restore a deactivated user',
    description: 'Restoring an active user changes nothing.',
    job: 'users.set-active',
    input: ({ params }) => ({ id: params.id, is_active: true }),
  }),
  releaseUserBookings: write('POST /users/{id}/release-bookings', {
    ...setsActive,
    ability: 'booking-write',
    summary: 'Release the bookings of a deactivated user',
    description:
      'Deletes upcoming bookings and ends current ones, including home offices. Repeating the request has no further effect. Events that the user organizes stay.',
    job: 'bookings.release',
    input: ({ params }) => ({ user_ids: [params.id] }),
  }),
  listUserGroups: list('/users/{user_id}/groups', {
    summary: 'List the groups of a user',
    item: groupSchema,
    listing: {
      name: 'groups-of-user',
      item: groupJson,
      rows: 'groups JOIN group_members ON group_members.group_id = groups.id WHERE group_members.user_id = $1',
      order: { 'groups.id': 'bigint' },
      parent: IS_ACTIVE,
    },
  }),
  listUserBookings: list('/users/{user_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings of a user',
    ...inRange,
    item: bookingOfUserSchema,
    listing: bookingsOfUser,
  }),
  listUserBookingsByEmail: list('/users/by-email/{user_email}/bookings', {
    personal: 'own',
    ...byEmail,
    summary: 'List the bookings of a user by e-mail',
    ...inRange,
    item: bookingOfUserSchema,
    listing: bookingsOfEmail,
  }),
})
