// A building as the API shows one.

import { locationJson } from '../locations/locations-shape.ts'
import { listJson, number, objectJson, selectJson, text } from '../schemas/json.ts'
import type { Building } from './buildings.ts'

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
