// Listings of groups.
import { groupJson } from '../../../shared/users/groups-shape.ts'
import { prepareListing } from '../../http/listing.ts'

export const allGroups = prepareListing({
  name: 'groups',
  item: groupJson('groups'),
  rows: 'groups WHERE true',
  order: [{ by: 'groups.id', type: 'bigint' }],
})
