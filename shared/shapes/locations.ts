// A location as the API shows one; each endpoint lists the members that it shows.
import type { Location, LocationInBuilding } from '../contracts/locations.ts'
import { objectJson } from './json.ts'

const members = (row: string) => ({ id: `${row}.id`, name: `${row}.name`, code: `${row}.code` })

export const locationJson = (row: string) => objectJson<Location>(members(row))

export const locationInBuildingJson = (row: string, building: string) =>
  objectJson<LocationInBuilding>({
    ...members(row),
    building: objectJson<LocationInBuilding['building']>({
      id: `${building}.id`,
      name: `${building}.name`,
      address: `${building}.address`,
    }),
  })
