// A bookable as the API shows one; each endpoint lists the members that it shows.
import { objectJson } from './json.ts'
import { locationInBuildingJson, locationJson } from './locations.ts'

const summary = (row: string) => ({
  id: `${row}.id`,
  name: `${row}.name`,
  type: `${row}.type`,
  status: `${row}.status`,
})

export const bookableJson = (row: string) => objectJson(summary(row))

export const taggedBookableJson = (row: string) => objectJson({ ...summary(row), tags: `${row}.tags` })

export const locatedBookableJson = (row: string, location: string) =>
  objectJson({ ...summary(row), location: locationJson(location) })

export const bookableInBuildingJson = (row: string, location: string, building: string) =>
  objectJson({ ...summary(row), location: locationInBuildingJson(location, building) })

/** A bookable inside an event. */
export const eventBookableJson = (row: string) =>
  objectJson({
    id: `${row}.id`,
    name: `${row}.name`,
    tags: `${row}.tags`,
    capacity: `coalesce(${row}.capacity, 0)`,
    integration_email: `coalesce(${row}.integration_email, '')`,
  })
