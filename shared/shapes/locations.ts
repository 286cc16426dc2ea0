// A location as the API shows one; each endpoint lists the members that it shows.
import { objectJson } from './json.ts'

const members = (row: string) => ({ id: `${row}.id`, name: `${row}.name`, code: `${row}.code` })

export const locationJson = (row: string) => objectJson(members(row))

export const locationInBuildingJson = (row: string, building: string) =>
  objectJson({
    ...members(row),
    building: objectJson({ id: `${building}.id`, name: `${building}.name`, address: `${building}.address` }),
  })
