// A location as the API shows one; each endpoint lists the members that it shows.

import { number, objectJson, text } from '../schemas/json.ts'
import type { Location, LocationInBuilding } from './locations.ts'

const members = (row: string) => ({
  id: number(`${row}.id`),
  name: text(`${row}.name`),
  code: text(`${row}.code`),
})

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
