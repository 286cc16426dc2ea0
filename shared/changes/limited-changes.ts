// SQL for the outbox as a token that is limited to buildings sees it. Leaves out data about other buildings, and shows
// a resource that has moved out of the token's buildings as deleted. Every token sees users, groups and absences,
// because they belong to no building.

const hasNoBuildingSql = (row: string) => `${row}.type IN ('user', 'group', 'absence')`

/** SQL for the building in the JSON data of a resource that has a single place. */
const buildingSql = (row: string, data: string) => `CASE ${row}.type
  WHEN 'building' THEN ${row}.resource_id
  WHEN 'location' THEN (${data}::json #>> '{building,id}')::bigint
  WHEN 'bookable' THEN (${data}::json #>> '{location,building,id}')::bigint
  WHEN 'loan' THEN (SELECT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE bookables.id = (${data}::json ->> 'bookable_id')::bigint)
  WHEN 'booking_request' THEN (${data}::json #>> '{bookable,location,building,id}')::bigint
  WHEN 'booking' THEN (${data}::json #>> '{bookable,location,building,id}')::bigint END`

const roomsInBuildingsSql = (data: string, ids: string) => `
  SELECT jsonb_agg(room ORDER BY ordinal) AS rooms
  FROM jsonb_array_elements(${data}::jsonb -> 'bookables') WITH ORDINALITY AS each (room, ordinal)
  WHERE (room ->> 'id')::bigint IN (
    SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE locations.building_id = ANY (${ids}))`

/** SQL condition that a row of changes concerns these buildings, because the resource was or is in one of them. */
export const isChangeInBuildingsSql = (row: string, ids: string) =>
  `(${hasNoBuildingSql(row)} OR ${row}.building_ids && ${ids})`

type DataColumn = 'data' | 'previous'

/** SQL for the current or former data in a row of changes, or null if the resource was not in any of the
 * buildings at that time. */
export const dataInBuildingsSql = (row: string, column: DataColumn, ids: string) => {
  const data = `${row}.${column}`
  return `CASE
  WHEN ${hasNoBuildingSql(row)} OR ${data} IS NULL THEN ${data}
  WHEN ${row}.type <> 'event' THEN CASE WHEN ${buildingSql(row, data)} = ANY (${ids}) THEN ${data} END
  ELSE (
    SELECT CASE
      WHEN jsonb_array_length(${data}::jsonb -> 'bookables') = jsonb_array_length(rooms) THEN ${data}
      WHEN rooms IS NOT NULL THEN jsonb_set(${data}::jsonb, '{bookables}', rooms)::text END
    FROM (${roomsInBuildingsSql(data, ids)}) AS shown)
  END`
}

/** SQL for the action in a row of changes as a limited token sees it. `data` is SQL for the data that the
 * token sees. */
export const actionInBuildingsSql = (row: string, data: string) =>
  `CASE WHEN ${data} IS NULL AND ${row}.data IS NOT NULL THEN 'deleted' ELSE ${row}.action END`

/** SQL for the changes in `from` that concern these buildings, as a token limited to these buildings sees them. */
export const changesInBuildingsSql = (from: string, ids: string) => `
  SELECT changes.sequence, changes.horizon, changes.at, changes.type, changes.resource_id, changes.actor_type,
    changes.actor_id, changes.actor_name, changes.request_id, shown.data, shown.previous,
    ${actionInBuildingsSql('changes', 'shown.data')} AS action
  FROM ${from} AS changes, LATERAL (
    SELECT ${dataInBuildingsSql('changes', 'data', ids)} AS data, ${dataInBuildingsSql('changes', 'previous', ids)} AS previous OFFSET 0
  ) AS shown
  WHERE ${isChangeInBuildingsSql('changes', ids)}`
