// A building as the API shows one.
import type { Building } from '../contracts/buildings.ts'
import { listJson, number, objectJson, selectJson, text } from './json.ts'
import { locationJson } from './locations.ts'

export const buildingJson = (row: string) =>
  objectJson<Building>({
    id: number(`${row}.id`),
    name: text(`${row}.name`),
    address: text(`${row}.address`),
    locations: selectJson(
      listJson(locationJson('locations'), 'locations.id'),
      `FROM locations WHERE locations.building_id = ${row}.id`,
    ),
  })
