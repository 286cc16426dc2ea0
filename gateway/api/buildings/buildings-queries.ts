// Queries for buildings, with their locations.
import { buildingJson } from '../../../shared/buildings/buildings-shape.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { prepareListing } from '../../http/listing.ts'
import { type Database, findText } from '../../http/statement.ts'

export const allBuildings = prepareListing({
  name: 'buildings',
  item: buildingJson('buildings'),
  rows: 'buildings WHERE true',
  order: [{ by: 'buildings.id', type: 'bigint' }],
  values: 0,
})

const byId = {
  name: 'find-building',
  text: `SELECT ${dataText(buildingJson('buildings'))} AS body FROM buildings WHERE buildings.id = $1`,
}

export function findBuilding(database: Database, id: number): Promise<string | undefined> {
  return findText(database, byId, [id])
}
