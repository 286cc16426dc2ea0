// Groups over HTTP.
import { groupSchema } from '../../../shared/users/groups.ts'
import { list } from '../../http/listing-endpoint.ts'
import { allGroups } from './groups-queries.ts'

export const groups = [
  list({
    path: '/groups',
    name: 'listGroups',
    ability: 'read',
    tag: 'Groups',
    summary: 'List all groups',
    item: groupSchema,
    source: () => ({ listing: allGroups, values: [] }),
  }),
]
