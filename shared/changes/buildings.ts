// Where a change took place: the buildings that the resource was in before and is in now. By them the outbox
// also shows a token that is limited to buildings what has left them.
import type { ChangedResource } from './changes-shape.ts'

declare const isPlace: unique symbol

/**
 * SQL of an array of buildings, null for a resource without a place. Only the functions here create one, so
 * that none is forgotten.
 */
export type Place = string & { readonly [isPlace]: true }

const place = (sql: string) => sql as Place

/** For users and groups. */
export const NOWHERE = place('NULL::bigint[]')

export const inBuilding = (id: string): Place => place(`ARRAY[${id}]`)

/** Where it was and where it is now, both SQL of a building's id. */
export const inBuildings = (former: string, now: string): Place =>
  place(`CASE WHEN ${former} = ${now} THEN ARRAY[${now}] ELSE ARRAY[${former}, ${now}] END`)

const ofBookables = (ids: string) =>
  place(`ARRAY(
  SELECT DISTINCT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
  WHERE bookables.id IN (${ids}))`)

const PLACES: Record<ChangedResource, (id: string) => Place> = {
  bookings: (id) => ofBookables(`SELECT bookable_id FROM bookings WHERE bookings.id = ${id}`),
  booking_requests: (id) => ofBookables(`SELECT bookable_id FROM holds WHERE holds.id = ${id}`),
  events: (id) => ofBookables(`SELECT bookable_id FROM bookings WHERE bookings.event_id = ${id}`),
  bookables: ofBookables,
  locations: (id) => place(`ARRAY(SELECT building_id FROM locations WHERE locations.id = ${id})`),
  buildings: inBuilding,
  users: () => NOWHERE,
  groups: () => NOWHERE,
}

/** The buildings of the resource with this id now. */
export const placeOf = (resource: ChangedResource, id: string): Place => PLACES[resource](id)

/** The buildings where it is now and where it was: `former` is SQL of an array. */
export function placesOf(resource: ChangedResource, id: string, former: string): Place {
  const now = placeOf(resource, id)
  if (now === NOWHERE) return NOWHERE
  return place(`ARRAY(SELECT unnest(${now}) UNION SELECT unnest(${former}))`)
}
