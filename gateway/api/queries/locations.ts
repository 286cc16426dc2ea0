// The query for a location.
import { dataText } from '../../../shared/shapes/json.ts'
import { locationInBuildingJson } from '../../../shared/shapes/locations.ts'
import { type Database, findText } from '../../http/statement.ts'

const byId = {
  name: 'find-location',
  text: `
    SELECT ${dataText(locationInBuildingJson('locations', 'buildings'))} AS body
    FROM locations JOIN buildings ON buildings.id = locations.building_id
    WHERE locations.id = $1`,
}

export function findLocation(database: Database, id: number): Promise<string | undefined> {
  return findText(database, byId, [id])
}
