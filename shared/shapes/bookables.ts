// A bookable as the API shows one; each endpoint lists the members that it shows.
import type {
  Bookable,
  BookableInBuilding,
  EventBookable,
  LocatedBookable,
  TaggedBookable,
} from '../contracts/bookables.ts'
import { objectJson } from './json.ts'
import { locationInBuildingJson, locationJson } from './locations.ts'

const summary = (row: string) => ({
  id: `${row}.id`,
  name: `${row}.name`,
  type: `${row}.type`,
  status: `${row}.status`,
})

export const bookableJson = (row: string) => objectJson<Bookable>(summary(row))

export const taggedBookableJson = (row: string) =>
  objectJson<TaggedBookable>({ ...summary(row), tags: `${row}.tags` })

export const locatedBookableJson = (row: string, location: string) =>
  objectJson<LocatedBookable>({ ...summary(row), location: locationJson(location) })

export const bookableInBuildingJson = (row: string, location: string, building: string) =>
  objectJson<BookableInBuilding>({ ...summary(row), location: locationInBuildingJson(location, building) })

/** A bookable inside an event. */
export const eventBookableJson = (row: string) =>
  objectJson<EventBookable>({
    id: `${row}.id`,
    name: `${row}.name`,
    tags: `${row}.tags`,
    capacity: `coalesce(${row}.capacity, 0)`,
    integration_email: `coalesce(${row}.integration_email, '')`,
  })
