// A bookable as the API shows one; each endpoint lists the members that it shows.
import { objectJson } from './json.ts'
import { locationJson } from './locations.ts'

export const locatedBookableJson = (row: string, location: string) =>
  objectJson({
    id: `${row}.id`,
    name: `${row}.name`,
    type: `${row}.type`,
    status: `${row}.status`,
    location: locationJson(location),
  })
