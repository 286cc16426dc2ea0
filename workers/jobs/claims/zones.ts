// SQL for the time zone of a bookable, which is that of its building.
export const zoneOf = (bookableId: string) => `(
  SELECT buildings.timezone FROM bookables AS placed
  JOIN locations ON locations.id = placed.location_id JOIN buildings ON buildings.id = locations.building_id
  WHERE placed.id = ${bookableId})`
