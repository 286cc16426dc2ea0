// A bookable as the API shows one; each endpoint lists the members that it shows.

import { locationInBuildingJson, locationJson, WITH_BUILDINGS } from '../locations/locations-shape.ts'
import { dataText, flag, number, objectJson, text } from '../schemas/json.ts'
import type {
  Bookable,
  BookableDetails,
  BookableInBuilding,
  EventBookable,
  LocatedBookable,
  TaggedBookable,
} from './bookables.ts'

const summary = (row: string) => ({
  id: number(`${row}.id`),
  name: text(`${row}.name`),
  type: number(`${row}.type`),
  status: number(`${row}.status`),
})

const tags = (row: string) => text<string[]>(`${row}.tags`)

export const bookableJson = (row: string) => objectJson<Bookable>(summary(row))

export const taggedBookableJson = (row: string) =>
  objectJson<TaggedBookable>({ ...summary(row), tags: tags(row) })

export const locatedBookableJson = (row: string, location: string) =>
  objectJson<LocatedBookable>({ ...summary(row), location: locationJson(location) })

export const bookableInBuildingJson = (row: string, location: string, building: string) =>
  objectJson<BookableInBuilding>({ ...summary(row), location: locationInBuildingJson(location, building) })

export const bookableDetailsJson = (row: string, location: string, building: string) =>
  objectJson<BookableDetails>({
    ...summary(row),
    tags: tags(row),
    description: text<string | null>(`${row}.description`),
    capacity: number<number | null>(`${row}.capacity`),
    requires_vehicle: flag(`${row}.requires_vehicle`),
    location: locationInBuildingJson(location, building),
  })

/** The statement of one bookable's answer. */
export const selectBookable = (id: string) => `
  SELECT ${dataText(bookableDetailsJson('bookables', 'locations', 'buildings'))} AS body
  FROM bookables
  ${WITH_BUILDINGS}
  WHERE bookables.id = ${id} AND bookables.deleted_at IS NULL`

/** A bookable inside an event. */
export const eventBookableJson = (row: string) =>
  objectJson<EventBookable>({
    id: number(`${row}.id`),
    name: text(`${row}.name`),
    tags: tags(row),
    capacity: number(`coalesce(${row}.capacity, 0)`),
    integration_email: text(`coalesce(${row}.integration_email, '')`),
  })
