// Groups over HTTP.
import { groupSchema } from '../../../shared/users/groups.ts'
import { groupJson } from '../../../shared/users/groups-shape.ts'
import { list, resource } from '../../http/endpoint.ts'
import { prepareListing } from '../../http/listing.ts'

export const allGroups = prepareListing({
  name: 'groups',
  item: groupJson('groups'),
  rows: 'groups WHERE true',
  order: [{ by: 'groups.id', type: 'bigint' }],
})

export const groups = resource({ tag: 'Groups', ability: 'read' }, [
  list({
    path: '/groups',
    name: 'listGroups',
    summary: 'List all groups',
    item: groupSchema,
    listing: allGroups,
  }),
])
