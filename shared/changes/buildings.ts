// Determines the place of a change: the buildings that the resource was in before the change, and those that
// it is in now. A token that is limited to buildings therefore also learns about resources that have left
// these buildings.
import type { ChangedResource } from './changes-shape.ts'

declare const isPlace: unique symbol

/**
 * SQL for an array of buildings, or null for a resource without a place. Only functions in this file create a Place, so
 * that no code forgets a building.
 */
export type Place = string & { readonly [isPlace]: true }

const toPlace = (sql: string) => sql as Place

/** The place of changes to users, groups and absences, which are in no building. */
export const PLACE_IN_NO_BUILDING = toPlace('NULL::bigint[]')

export const placeInBuilding = (id: string): Place => toPlace(`ARRAY[${id}]`)

/** SQL for the former and the current building. Both arguments are SQL for a building's id. */
export const placeInBuildings = (former: string, now: string): Place =>
  toPlace(`CASE WHEN ${former} = ${now} THEN ARRAY[${now}] ELSE ARRAY[${former}, ${now}] END`)

const buildingsOfBookablesSql = (ids: string) =>
  toPlace(`ARRAY(
  SELECT DISTINCT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
  WHERE bookables.id IN (${ids}))`)

const PLACES_BY_RESOURCE: Record<ChangedResource, (id: string) => Place> = {
  bookings: (id) => buildingsOfBookablesSql(`SELECT bookable_id FROM bookings WHERE bookings.id = ${id}`),
  booking_requests: (id) => buildingsOfBookablesSql(`SELECT bookable_id FROM holds WHERE holds.id = ${id}`),
  events: (id) => buildingsOfBookablesSql(`SELECT bookable_id FROM bookings WHERE bookings.event_id = ${id}`),
  bookables: buildingsOfBookablesSql,
  loans: (id) => buildingsOfBookablesSql(`SELECT bookable_id FROM loans WHERE loans.id = ${id}`),
  locations: (id) => toPlace(`ARRAY(SELECT building_id FROM locations WHERE locations.id = ${id})`),
  buildings: placeInBuilding,
  users: () => PLACE_IN_NO_BUILDING,
  groups: () => PLACE_IN_NO_BUILDING,
  absences: () => PLACE_IN_NO_BUILDING,
}

/** SQL for the buildings that the resource with this id is in now. */
export const getPlace = (resource: ChangedResource, id: string): Place => PLACES_BY_RESOURCE[resource](id)

/** SQL for the buildings that the resource is in now and was in before. `former` is SQL for an array of the
 * former buildings. */
export function getFormerAndCurrentPlaces(resource: ChangedResource, id: string, former: string): Place {
  const now = getPlace(resource, id)
  if (now === PLACE_IN_NO_BUILDING) return PLACE_IN_NO_BUILDING
  return toPlace(`ARRAY(SELECT unnest(${now}) UNION SELECT unnest(${former}))`)
}
