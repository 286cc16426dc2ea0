// Groups over HTTP.
import { groupsAnswer } from '../../shared/contracts/groups.ts'
import { read } from '../endpoint.ts'
import { listGroups } from '../queries/groups.ts'

export const groups = [
  read({
    path: '/groups',
    ability: 'read',
    tag: 'Groups',
    summary: 'All groups',
    answer: groupsAnswer,
    find: ({ services }) => listGroups(services.reads),
  }),
]
