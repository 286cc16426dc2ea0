// A building as the API shows one.
import { listJson, objectJson } from './json.ts'
import { locationJson } from './locations.ts'

export const buildingJson = (row: string) =>
  objectJson({
    id: `${row}.id`,
    name: `${row}.name`,
    address: `${row}.address`,
    locations: `(
      SELECT ${listJson(locationJson('locations'), 'locations.id')}
      FROM locations
      WHERE locations.building_id = ${row}.id
    )`,
  })
