// Buildings over HTTP.
import { buildingsAnswer } from '../../shared/contracts/buildings.ts'
import { read } from '../endpoint.ts'
import { listBuildings } from '../queries/buildings.ts'

export const buildings = [
  read({
    path: '/buildings',
    ability: 'read',
    tag: 'Buildings',
    summary: 'All buildings, with their locations',
    answer: buildingsAnswer,
    find: ({ services }) => listBuildings(services.reads),
  }),
]
