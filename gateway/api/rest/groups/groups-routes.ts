// Groups over HTTP.
import {
  groupChangesSchema,
  membersSchema,
  newGroupSchema,
  selectGroup,
} from '../../../../shared/groups/groups.ts'
import { message } from '../../../../shared/messages/message.ts'
import { groupJson, groupSchema } from '../../../../shared/users/users.ts'
import { type Endpoint, list, read, resource, write } from '../../../server/http/endpoint.ts'

const missing = message`There is no group with this id.`

/** Imports write groups too, so they exclude each other. */
const writesGroup: Pick<Endpoint, 'ability' | 'refusals'> = {
  ability: 'user-write',
  refusals: ['import_running'],
}

export const groups = resource({ tag: 'Groups', ability: 'read', missing })({
  listGroups: list('/groups', {
    summary: 'List all groups',
    item: groupSchema,
    listing: {
      name: 'groups',
      item: groupJson,
      rows: 'groups WHERE true',
      order: { 'groups.id': 'bigint' },
    },
  }),
  createGroup: write('POST /groups', {
    ...writesGroup,
    summary: 'Create a group',
    body: newGroupSchema,
    job: 'groups.create',
    etagAfter: (known) => known,
  }),
  getGroup: read('/groups/{id}', {
    summary: 'Get a group',
    description: 'To list the members, use GET users with the group_id.',
    answer: groupSchema,
    statement: { name: 'find-group', text: selectGroup('$1') },
  }),
  updateGroup: write('PATCH /groups/{id}', {
    ...writesGroup,
    summary: 'Rename a group',
    body: groupChangesSchema,
    takesIfMatch: true,
    job: 'groups.update',
    etagAfter: (known) => known,
  }),
  deleteGroup: write('DELETE /groups/{id}', {
    ...writesGroup,
    summary: 'Delete a group',
    description: 'Its members remain users. A group that is used in rules cannot be deleted.',
    refusals: ['import_running', 'in_use'],
    takesIfMatch: true,
    job: 'groups.delete',
  }),
  replaceGroupMembers: write('PUT /groups/{id}/members', {
    ...writesGroup,
    summary: 'Set the members of a group',
    description: 'Replaces all active members, and returns how many users joined and left.',
    body: membersSchema,
    job: 'groups.set-members',
  }),
})
