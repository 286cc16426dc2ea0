// Queries for buildings, with their locations.

import { buildingJson } from '../../../shared/buildings/buildings-shape.ts'
import { selectData } from '../../../shared/schemas/json.ts'
import { prepareListing } from '../../http/listing.ts'

export const allBuildings = prepareListing({
  name: 'buildings',
  item: buildingJson('buildings'),
  rows: 'buildings WHERE true',
  order: [{ by: 'buildings.id', type: 'bigint' }],
})

export const buildingById = {
  name: 'find-building',
  text: selectData(buildingJson('buildings'), 'buildings WHERE buildings.id = $1'),
}
