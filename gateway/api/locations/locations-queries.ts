// The query for a location.

import { locationInBuildingJson } from '../../../shared/locations/locations-shape.ts'
import { dataText } from '../../../shared/schemas/json.ts'
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
