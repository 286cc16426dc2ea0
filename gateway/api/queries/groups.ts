// Listings of groups.
import { groupJson } from '../../../shared/shapes/groups.ts'
import { prepareListing } from '../../http/listing.ts'

export const allGroups = prepareListing({
  name: 'groups',
  item: groupJson('groups'),
  rows: 'groups WHERE true',
  order: [{ by: 'groups.id', type: 'bigint' }],
  values: 0,
})
