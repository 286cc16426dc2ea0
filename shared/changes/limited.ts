// The outbox as a token that is limited to buildings sees it: data about places elsewhere is left out, and a
// resource that has left the buildings counts as deleted. Users and groups have no place, and every token
// sees them.

const liesNowhere = (row: string) => `${row}.type IN ('user', 'group')`

/** For data that names a single place: the building that it names. */
const buildingOf = (row: string, data: string) => `CASE ${row}.type
  WHEN 'building' THEN ${row}.resource_id
  WHEN 'location' THEN (${data}::json #>> '{building,id}')::bigint
  WHEN 'bookable' THEN (${data}::json #>> '{location,building,id}')::bigint
  WHEN 'booking_request' THEN (${data}::json #>> '{bookable,location,building,id}')::bigint
  WHEN 'booking' THEN (${data}::json #>> '{bookable,location,building,id}')::bigint END`

const roomsInBuildings = (data: string, ids: string) => `
  SELECT jsonb_agg(room ORDER BY ordinal) AS rooms
  FROM jsonb_array_elements(${data}::jsonb -> 'bookables') WITH ORDINALITY AS each (room, ordinal)
  WHERE (room ->> 'id')::bigint IN (
    SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE locations.building_id = ANY (${ids}))`

/** SQL: whether a row of changes concerns these buildings, by where the resource was and is. */
export const concerns = (row: string, ids: string) => `(${liesNowhere(row)} OR ${row}.building_ids && ${ids})`

type Column = 'data' | 'previous'

/** SQL: the present or former data of such a row; null if the resource was outside the buildings then. */
export const dataInBuildings = (row: string, column: Column, ids: string) => {
  const data = `${row}.${column}`
  return `CASE
  WHEN ${liesNowhere(row)} OR ${data} IS NULL THEN ${data}
  WHEN ${row}.type <> 'event' THEN CASE WHEN ${buildingOf(row, data)} = ANY (${ids}) THEN ${data} END
  ELSE (
    SELECT CASE
      WHEN jsonb_array_length(${data}::jsonb -> 'bookables') = jsonb_array_length(rooms) THEN ${data}
      WHEN rooms IS NOT NULL THEN jsonb_set(${data}::jsonb, '{bookables}', rooms)::text END
    FROM (${roomsInBuildings(data, ids)}) AS shown)
  END`
}

/** SQL: the action of such a row with this data. */
export const actionInBuildings = (row: string, data: string) =>
  `CASE WHEN ${data} IS NULL AND ${row}.data IS NOT NULL THEN 'deleted' ELSE ${row}.action END`

/** SQL: the rows of `from`, which are changes, that concern the buildings, as the token sees them. */
export const changesInBuildings = (from: string, ids: string) => `
  SELECT changes.sequence, changes.horizon, changes.at, changes.type, changes.resource_id, changes.actor_type,
    changes.actor_id, changes.actor_name, changes.request_id, shown.data, shown.previous,
    ${actionInBuildings('changes', 'shown.data')} AS action
  FROM ${from} AS changes, LATERAL (
    SELECT ${dataInBuildings('changes', 'data', ids)} AS data, ${dataInBuildings('changes', 'previous', ids)} AS previous OFFSET 0
  ) AS shown
  WHERE ${concerns('changes', ids)}`
