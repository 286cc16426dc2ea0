// The outbox as it is for whoever is limited to buildings: what a change says of places elsewhere is not there, and what has
// left the buildings was deleted. Users and groups lie nowhere, and are told to everybody.

const liesNowhere = (row: string) => `${row}.type IN ('user', 'group')`

/** Of data that names one place: the building that it says the thing lies in. */
const buildingOf = (row: string) => `CASE ${row}.type
  WHEN 'building' THEN ${row}.resource_id
  WHEN 'location' THEN (${row}.data::json #>> '{building,id}')::bigint
  WHEN 'bookable' THEN (${row}.data::json #>> '{location,building,id}')::bigint
  WHEN 'booking' THEN (${row}.data::json #>> '{bookable,location,building,id}')::bigint END`

const roomsWithin = (row: string, ids: string) => `
  SELECT jsonb_agg(room ORDER BY ordinal) AS rooms
  FROM jsonb_array_elements(${row}.data::jsonb -> 'bookables') WITH ORDINALITY AS each (room, ordinal)
  WHERE (room ->> 'id')::bigint IN (
    SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE locations.building_id = ANY (${ids}))`

/** SQL: whether a row of changes concerns these buildings, by where the thing was and is. */
export const concerns = (row: string, ids: string) => `(${liesNowhere(row)} OR ${row}.building_ids && ${ids})`

/** SQL: the data of such a row; null where the thing lies in none of the buildings any more. */
export const dataWithin = (row: string, ids: string) => `CASE
  WHEN ${liesNowhere(row)} OR ${row}.data IS NULL THEN ${row}.data
  WHEN ${row}.type <> 'event' THEN CASE WHEN ${buildingOf(row)} = ANY (${ids}) THEN ${row}.data END
  ELSE (
    SELECT CASE
      WHEN jsonb_array_length(${row}.data::jsonb -> 'bookables') = jsonb_array_length(rooms) THEN ${row}.data
      WHEN rooms IS NOT NULL THEN jsonb_set(${row}.data::jsonb, '{bookables}', rooms)::text END
    FROM (${roomsWithin(row, ids)}) AS shown)
  END`

/** SQL: what such a row is called where this is its data. */
export const actionWithin = (row: string, data: string) =>
  `CASE WHEN ${data} IS NULL AND ${row}.data IS NOT NULL THEN 'deleted' ELSE ${row}.action END`

/** SQL: those rows of `from`, which are of changes, that concern the buildings, as they are told. */
export const changesWithin = (from: string, ids: string) => `
  SELECT changes.sequence, changes.horizon, changes.at, changes.type, changes.resource_id, changes.actor_type,
    changes.actor_id, changes.actor_name, changes.request_id, told.data,
    ${actionWithin('changes', 'told.data')} AS action
  FROM ${from} AS changes, LATERAL (SELECT ${dataWithin('changes', ids)} AS data OFFSET 0) AS told
  WHERE ${concerns('changes', ids)}`
