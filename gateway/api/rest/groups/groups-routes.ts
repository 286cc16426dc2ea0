// The API endpoints for groups.
import {
  groupChangesSchema,
  membersSchema,
  newGroupSchema,
  selectGroupSql,
} from '../../../../shared/groups/groups.ts'
import { message } from '../../../../shared/messages/message.ts'
import { groupJson, groupSchema } from '../../../../shared/users/users.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
  type Endpoint,
} from '../../../server/http/endpoint.ts'

const missing = message`There is no group with this id.`

/**
 * Options shared by the endpoints that write a group. Imports write groups too, so a group cannot be written during an
 * import.
 */
const groupWriteOptions: Pick<Endpoint, 'ability' | 'refusals'> = {
  ability: 'user-write',
  refusals: ['import_running'],
}

export const groupEndpoints = declareResourceEndpoints({ tag: 'Groups', ability: 'read', missing })({
  listGroups: declareListEndpoint('/groups', {
    summary: 'List all groups',
    item: groupSchema,
    listing: {
      name: 'groups',
      item: groupJson,
      rows: 'groups WHERE true',
      order: { 'groups.id': 'bigint' },
    },
  }),
  createGroup: declareWriteEndpoint('POST /groups', {
    ...groupWriteOptions,
    summary: 'Create a group',
    body: newGroupSchema,
    job: 'groups.create',
    etagAfter: (known) => known,
  }),
  getGroup: declareReadEndpoint('/groups/{id}', {
    summary: 'Get a group',
    description: 'To list the members, use GET users with the group_id.',
    answer: groupSchema,
    statement: { name: 'find-group', text: selectGroupSql('$1') },
  }),
  updateGroup: declareWriteEndpoint('PATCH /groups/{id}', {
    ...groupWriteOptions,
    summary: 'Rename a group',
    body: groupChangesSchema,
    takesIfMatch: true,
    job: 'groups.update',
    etagAfter: (known) => known,
  }),
  deleteGroup: declareWriteEndpoint('DELETE /groups/{id}', {
    ...groupWriteOptions,
    summary: 'Delete a group',
    description: 'Its members remain users. A group that is used in rules cannot be deleted.',
    refusals: ['import_running', 'in_use'],
    takesIfMatch: true,
    job: 'groups.delete',
  }),
  replaceGroupMembers: declareWriteEndpoint('PUT /groups/{id}/members', {
    ...groupWriteOptions,
    summary: 'Set the members of a group',
    description: 'Replaces all active members, and returns how many users joined and left.',
    body: membersSchema,
    job: 'groups.set-members',
  }),
})
