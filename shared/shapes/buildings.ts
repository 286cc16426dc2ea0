// A building as the API shows one.
import type { Building } from '../contracts/buildings.ts'
import { listJson, objectJson, selectJson } from './json.ts'
import { locationJson } from './locations.ts'

export const buildingJson = (row: string) =>
  objectJson<Building>({
    id: `${row}.id`,
    name: `${row}.name`,
    address: `${row}.address`,
    locations: selectJson(
      listJson(locationJson('locations'), 'locations.id'),
      `FROM locations WHERE locations.building_id = ${row}.id`,
    ),
  })
