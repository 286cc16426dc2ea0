// The outbox as it is for whoever is limited to buildings: what a change says of places elsewhere is not there, and what has
// left the buildings was deleted. Users and groups lie nowhere, and are told to everybody.

/** Of data that names one place: the building that it says the thing lies in. */
const BUILDING_OF = `CASE type
  WHEN 'building' THEN resource_id
  WHEN 'location' THEN (data::json #>> '{building,id}')::bigint
  WHEN 'bookable' THEN (data::json #>> '{location,building,id}')::bigint
  WHEN 'booking' THEN (data::json #>> '{bookable,location,building,id}')::bigint END`

const roomsWithin = (ids: string) => `(
  SELECT jsonb_agg(room ORDER BY ordinal)
  FROM jsonb_array_elements(data::jsonb -> 'bookables') WITH ORDINALITY AS rooms (room, ordinal)
  WHERE (room ->> 'id')::bigint IN (
    SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE locations.building_id = ANY (${ids})))`

const LIES_NOWHERE = "type IN ('user', 'group')"

/** SQL: whether a row concerns these buildings, by where the thing was and is. */
export const concerns = (row: string, ids: string) =>
  `(${row}.${LIES_NOWHERE} OR ${row}.building_ids && ${ids})`

/** SQL: the data of a row of changes that concerns the buildings; null where the thing lies in none of them any more. */
const dataWithin = (ids: string) => `CASE
  WHEN ${LIES_NOWHERE} THEN data
  WHEN type <> 'event' THEN CASE WHEN ${BUILDING_OF} = ANY (${ids}) THEN data END
  ELSE (
    SELECT CASE
      WHEN jsonb_array_length(data::jsonb -> 'bookables') = jsonb_array_length(rooms) THEN data
      WHEN rooms IS NOT NULL THEN jsonb_set(data::jsonb, '{bookables}', rooms)::text END
    FROM (SELECT ${roomsWithin(ids)} AS rooms) AS shown)
  END`

/** SQL: those rows of `from`, which are of changes, that concern the buildings, as they are told. */
export const changesWithin = (from: string, ids: string) => `
  SELECT changes.sequence, changes.horizon, changes.at, changes.type, changes.resource_id, changes.actor_type,
    changes.actor_id, changes.actor_name, changes.request_id, told.data,
    CASE WHEN told.data IS NULL AND changes.data IS NOT NULL THEN 'deleted' ELSE changes.action END AS action
  FROM ${from} AS changes, LATERAL (SELECT ${dataWithin(ids)} AS data OFFSET 0) AS told
  WHERE ${concerns('changes', ids)}`
