// Groups over HTTP.
import { groupSchema } from '../../../shared/users/groups.ts'
import { list, resource } from '../../http/endpoint.ts'
import { allGroups } from './groups-queries.ts'

export const groups = resource({ tag: 'Groups', ability: 'read' }, [
  list({
    path: '/groups',
    name: 'listGroups',
    summary: 'List all groups',
    item: groupSchema,
    listing: allGroups,
  }),
])
