// The outbox as it is for whoever is limited to buildings: what a change says of places elsewhere is not there, and what has
// left the buildings was deleted. Users and groups lie nowhere, and are told to everybody.

const liesNowhere = (row: string) => `${row}.type IN ('user', 'group')`

/** Of data that names one place: the building that it says the thing lies in. */
const buildingOf = (row: string, data: string) => `CASE ${row}.type
  WHEN 'building' THEN ${row}.resource_id
  WHEN 'location' THEN (${data}::json #>> '{building,id}')::bigint
  WHEN 'bookable' THEN (${data}::json #>> '{location,building,id}')::bigint
  WHEN 'booking' THEN (${data}::json #>> '{bookable,location,building,id}')::bigint END`

const roomsWithin = (data: string, ids: string) => `
  SELECT jsonb_agg(room ORDER BY ordinal) AS rooms
  FROM jsonb_array_elements(${data}::jsonb -> 'bookables') WITH ORDINALITY AS each (room, ordinal)
  WHERE (room ->> 'id')::bigint IN (
    SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE locations.building_id = ANY (${ids}))`

/** SQL: whether a row of changes concerns these buildings, by where the thing was and is. */
export const concerns = (row: string, ids: string) => `(${liesNowhere(row)} OR ${row}.building_ids && ${ids})`

type Column = 'data' | 'previous'

/** SQL: the data of such a row, or what it was; null where the thing lay in none of the buildings then. */
export const shownWithin = (row: string, column: Column, ids: string) => {
  const data = `${row}.${column}`
  return `CASE
  WHEN ${liesNowhere(row)} OR ${data} IS NULL THEN ${data}
  WHEN ${row}.type <> 'event' THEN CASE WHEN ${buildingOf(row, data)} = ANY (${ids}) THEN ${data} END
  ELSE (
    SELECT CASE
      WHEN jsonb_array_length(${data}::jsonb -> 'bookables') = jsonb_array_length(rooms) THEN ${data}
      WHEN rooms IS NOT NULL THEN jsonb_set(${data}::jsonb, '{bookables}', rooms)::text END
    FROM (${roomsWithin(data, ids)}) AS shown)
  END`
}

/** SQL: what such a row is called where this is its data. */
export const actionWithin = (row: string, data: string) =>
  `CASE WHEN ${data} IS NULL AND ${row}.data IS NOT NULL THEN 'deleted' ELSE ${row}.action END`

/** SQL: those rows of `from`, which are of changes, that concern the buildings, as they are told. */
export const changesWithin = (from: string, ids: string) => `
  SELECT changes.sequence, changes.horizon, changes.at, changes.type, changes.resource_id, changes.actor_type,
    changes.actor_id, changes.actor_name, changes.request_id, told.data, told.previous,
    ${actionWithin('changes', 'told.data')} AS action
  FROM ${from} AS changes, LATERAL (
    SELECT ${shownWithin('changes', 'data', ids)} AS data, ${shownWithin('changes', 'previous', ids)} AS previous OFFSET 0
  ) AS told
  WHERE ${concerns('changes', ids)}`
