// Listings of buildings, with their locations.
import { buildingJson } from '../../../shared/shapes/buildings.ts'
import { prepareListing } from '../../http/listing.ts'

export const allBuildings = prepareListing({
  name: 'buildings',
  item: buildingJson('buildings'),
  rows: 'buildings WHERE true',
  order: [{ by: 'buildings.id', type: 'bigint' }],
  values: 0,
})
