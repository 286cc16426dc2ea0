// Reads what the screens in lobbies show: who is in and what is taken, floor by floor, and the meetings. Screens of one
// building with the same settings for people share the result. The SQL reads nothing that a screen may not show.
import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import type { Language } from '../../../../shared/messages/languages.ts'
import { closingAtSql } from '../../../../shared/rules/rules-shape.ts'
import { timestampText } from '../../../../shared/schemas/json.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FLOOR_PLAN_HASH_SQL, type FloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { BOOKABLE_SHAPE_SQL, type BookableShape } from '../../../reads/map/map-layouts.ts'
import { localDaysSql } from '../../../reads/people/local-days.ts'
import { HAS_NO_GUEST_SQL, SHOWN_TITLE_SQL, shownPersonSql } from '../screen/shown-names.ts'

/** A name or initials; null for somebody whom the screen only counts. */
type ShownName = string | null
export type LobbyPerson = { who: ShownName; isNow: boolean }
/** A place on a floor. A closed place counts as blocked. */
export type LobbySeat = {
  id: number
  name: string
  type: number
  status: number
  occupied: boolean
  lentUntil: string | null
  x: number | null
  y: number | null
  shape: BookableShape | null
  who: ShownName
}
export type LobbyFloor = {
  id: number
  name: string
  people: LobbyPerson[]
  seats: LobbySeat[]
  plan: FloorPlanFacts | null
}
export type LobbyMeeting = { from: string; to: string; title: string | null; who: ShownName; rooms: string[] }
export type Lobby = {
  building: string
  address: string
  zone: string
  /** The current day in the time zone of the building. */
  date: string
  ends: string
  floors: LobbyFloor[]
  meetings: LobbyMeeting[]
}
export type LobbyScreen = {
  id: number
  language: Language
  showsNames: boolean
  version: string
  lobby: Lobby
}

const { desk, meetingRoom, homeOffice } = BOOKABLE_TYPES
const FLOORS_MAX = 30
const SEATS_MAX = 400
const MEETINGS_MAX = 6

// Selects the claims of today. $1 is the current time, and $2 are the ids of screens.
const TODAYS_CLAIMS_SQL = claimsBetweenSql('$1::timestamptz', '(SELECT max(ends) FROM days)', 'true').join(
  ' UNION ALL ',
)

// Selects the claims that are not over, so people who have left are not shown as in.
const UNFINISHED_CLAIMS_SQL = `
  SELECT claims.*, claims.during @> $1::timestamptz AS is_now, bookables.type, bookables.name AS bookable,
    locations.id AS location_id, locations.name AS location, locations.building_id
  FROM (${TODAYS_CLAIMS_SQL}) AS claims
  JOIN bookables ON bookables.id = claims.bookable_id AND bookables.type <> ${homeOffice}
  JOIN locations ON locations.id = bookables.location_id
  JOIN days ON days.id = locations.building_id AND claims.during && tstzrange($1, days.ends)`

const PEOPLE_JSON = `(
  SELECT coalesce(json_agg(json_build_object('who', who, 'isNow', is_now) ORDER BY lower(who), who, is_now DESC), '[]')
  FROM (
    SELECT who, bool_or(is_now) AS is_now FROM (
      SELECT claims.user_id, claims.guest_name, claims.guest_email, claims.is_now, ${shownPersonSql(HAS_NO_GUEST_SQL)} AS who
      FROM held AS claims JOIN users AS people ON people.id = claims.user_id AND people.deactivated_at IS NULL
      WHERE claims.location_id = locations.id AND claims.type IN (${desk}, ${meetingRoom})
    ) AS named GROUP BY user_id, guest_name, guest_email, who) AS present)`

const SEAT_JSON = `json_build_object('id', bookables.id, 'name', bookables.name, 'type', bookables.type,
  'status', CASE WHEN closing.closed IS NULL THEN bookables.status ELSE ${BOOKABLE_STATUSES.blocked} END,
  'lentUntil', ${lentUntilSql('$1')}, 'x', bookables.position_x, 'y', bookables.position_y, 'shape', ${BOOKABLE_SHAPE_SQL},
  'occupied', claims.id IS NOT NULL, 'who', ${shownPersonSql(HAS_NO_GUEST_SQL)})`

const SEATS_JSON = `(
  SELECT coalesce(json_agg(${SEAT_JSON} ORDER BY bookables.id), '[]')
  FROM (SELECT * FROM bookables WHERE bookables.location_id = locations.id AND deleted_at IS NULL
    AND type <> ${homeOffice} ORDER BY id LIMIT ${SEATS_MAX}) AS bookables
  LEFT JOIN LATERAL (${closingAtSql('$1::timestamptz')}) AS closing ON true
  LEFT JOIN (SELECT DISTINCT ON (bookable_id) * FROM held WHERE is_now ORDER BY bookable_id, id) AS claims
    ON claims.bookable_id = bookables.id
  LEFT JOIN events ON events.id = claims.event_id
  LEFT JOIN users AS people ON people.id = coalesce(claims.user_id, events.organizer_user_id))`

const FLOOR_PLAN_JSON = `CASE WHEN locations.floor_plan_sha256 IS NOT NULL THEN json_build_object('hash', ${FLOOR_PLAN_HASH_SQL},
  'width', floor_plan_width, 'height', floor_plan_height, 'orientation', floor_plan_orientation,
  'cellWidth', cell_width, 'shapes', plan_shapes) END`

const FLOORS_JSON = `(
  SELECT coalesce(json_agg(json_build_object('id', locations.id, 'name', locations.name, 'people', ${PEOPLE_JSON},
    'seats', ${SEATS_JSON}, 'plan', ${FLOOR_PLAN_JSON}) ORDER BY locations.id), '[]')
  FROM (SELECT * FROM locations WHERE building_id = buildings.id ORDER BY id LIMIT ${FLOORS_MAX}) AS locations)`

const ROOMS_JSON = `(
  SELECT json_agg(concat_ws(', ', bookable, location) ORDER BY ${naturalSql('bookable')}) FROM held AS claims
  WHERE claims.event_id = events.id AND claims.building_id = buildings.id)`

const MEETINGS_JSON = `(
  SELECT coalesce(json_agg(json_build_object('from', ${timestampText('lower(events.during)')},
    'to', ${timestampText('upper(events.during)')}, 'title', ${SHOWN_TITLE_SQL}, 'who', ${shownPersonSql()}, 'rooms', ${ROOMS_JSON})
    ORDER BY lower(events.during), events.id), '[]')
  FROM (SELECT * FROM events WHERE id IN (SELECT event_id FROM held WHERE building_id = buildings.id)
    ORDER BY lower(during), id LIMIT ${MEETINGS_MAX}) AS events
  LEFT JOIN users AS people ON people.id = events.organizer_user_id)`

const SELECT_LOBBIES = `
  WITH asked AS MATERIALIZED (
    SELECT id, building_id, names, appearance, language FROM screens
    WHERE id = ANY ($2::bigint[]) AND kind = 'lobby' AND revoked_at IS NULL
  ), ${localDaysSql('buildings.id IN (SELECT building_id FROM asked)')}, held AS MATERIALIZED (${UNFINISHED_CLAIMS_SQL}), lobbies AS MATERIALIZED (
    SELECT screens.building_id, screens.names, json_build_object('building', buildings.name, 'address', buildings.address,
      'zone', buildings.timezone, 'date', (days.starts AT TIME ZONE days.timezone)::date,
      'ends', ${timestampText('days.ends')}, 'floors', ${FLOORS_JSON}, 'meetings', ${MEETINGS_JSON}) AS lobby
    FROM (SELECT DISTINCT building_id, names FROM asked) AS screens
    JOIN buildings ON buildings.id = screens.building_id
    JOIN days ON days.id = buildings.id
  )
  SELECT asked.id, asked.language, names <> 'none' AS "showsNames", lobby,
    md5(concat_ws(' ', lobby::text, names, appearance, language)) AS version
  FROM asked JOIN lobbies USING (building_id, names)`

export async function findLobbyVersions(
  pool: pg.Pool,
  ids: number[],
  now: string,
): Promise<Map<number, string>> {
  const text = `SELECT id, version FROM (${SELECT_LOBBIES}) AS found`
  const { rows } = await pool.query<{ id: number; version: string }>({
    name: 'find-lobby-versions',
    text,
    values: [now, ids],
  })
  return new Map(rows.map(({ id, version }) => [id, version]))
}

export async function findLobbies(pool: pg.Pool, ids: number[], now: string): Promise<LobbyScreen[]> {
  const { rows } = await pool.query<LobbyScreen>({
    name: 'find-lobbies',
    text: SELECT_LOBBIES,
    values: [now, ids],
  })
  return rows
}
