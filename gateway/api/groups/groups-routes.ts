// Groups over HTTP.
import { groupSchema } from '../../../shared/users/groups.ts'
import { groupJson } from '../../../shared/users/groups-shape.ts'
import { list, resource } from '../../http/endpoint.ts'

export const groups = resource({ tag: 'Groups', ability: 'read' })({
  listGroups: list('/groups', {
    summary: 'List all groups',
    item: groupSchema,
    listing: {
      name: 'groups',
      item: groupJson('groups'),
      rows: 'groups WHERE true',
      order: { 'groups.id': 'bigint' },
    },
  }),
})
