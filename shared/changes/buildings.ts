// Where a change took place: the buildings that the thing lay in before and lies in now. By them the outbox tells those who are
// limited to buildings of what has left theirs, too.
import type { ChangedResource } from '../shapes/changes.ts'

const NOWHERE = 'NULL::bigint[]'

const ofBookables = (ids: string) => `ARRAY(
  SELECT DISTINCT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
  WHERE bookables.id IN (${ids}))`

const ofLocations = (ids: string) =>
  `ARRAY(SELECT DISTINCT building_id FROM locations WHERE locations.id IN (${ids}))`

/** SQL: an array, null for what lies nowhere; `places` selects the ids of what it lay in before, as placesOf has them. */
export function buildingsSql(resource: ChangedResource, id: string, places?: string): string {
  const and = places === undefined ? '' : ` UNION ALL ${places}`
  switch (resource) {
    case 'bookings':
      return ofBookables(`SELECT bookable_id FROM bookings WHERE bookings.id = ${id}${and}`)
    case 'events':
      return ofBookables(`SELECT bookable_id FROM bookings WHERE bookings.event_id = ${id}${and}`)
    case 'bookables':
      return ofLocations(`SELECT location_id FROM bookables WHERE bookables.id = ${id}${and}`)
    case 'locations':
      return `ARRAY(SELECT DISTINCT building_id FROM (
        SELECT building_id FROM locations WHERE locations.id = ${id}${and}) AS theirs (building_id))`
    case 'buildings':
      return `ARRAY[${id}]`
    default:
      return NOWHERE
  }
}

/** Of a row as it was: the bookables of a booking or an event, the location of a bookable, the building of a location. */
export function placesOf(resource: ChangedResource, row: unknown): number[] {
  if (typeof row !== 'object' || row === null) return []
  const { bookable_id, bookables, location_id, building_id } = row as Record<string, unknown>
  const places: Partial<Record<ChangedResource, unknown[]>> = {
    bookings: [bookable_id],
    events: Array.isArray(bookables) ? bookables : [],
    bookables: [location_id],
    locations: [building_id],
  }
  return (places[resource] ?? []).filter((id) => typeof id === 'number')
}
