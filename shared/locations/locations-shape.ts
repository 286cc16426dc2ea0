// A location as the API shows one; each endpoint lists the members that it shows.

import { number, objectJson, text } from '../schemas/json.ts'
import type { Location, LocationInBuilding } from './locations.ts'

const members = (row: string) => ({
  id: number(`${row}.id`),
  name: text(`${row}.name`),
  code: text(`${row}.code`),
})

/** SQL: joins of bookables with their places. */
export const WITH_LOCATIONS = 'JOIN locations ON locations.id = bookables.location_id'
export const WITH_BUILDINGS = `${WITH_LOCATIONS} JOIN buildings ON buildings.id = locations.building_id`

export const locationJson = (row: string) => objectJson<Location>(members(row))

export const locationInBuildingJson = (row: string, building: string) =>
  objectJson<LocationInBuilding>({
    ...members(row),
    building: objectJson<LocationInBuilding['building']>({
      id: number(`${building}.id`),
      name: text(`${building}.name`),
      address: text(`${building}.address`),
    }),
  })
