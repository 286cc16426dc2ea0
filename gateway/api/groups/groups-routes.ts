// Groups over HTTP.
import { groupJson, groupSchema } from '../../../shared/users/users.ts'
import { list, resource } from '../../http/endpoint.ts'

export const groups = resource({ tag: 'Groups', ability: 'read' })({
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
})
