// Reads what the screen at a door shows about its room or desk, today and tomorrow. The statement leaves out
// what the screen may not reveal about people, so that no later code can show it.
import type pg from 'pg'
import { claimsOfBookableSql } from '../../../../shared/affected-bookings/claims.ts'
import type { LentDays } from '../../../../shared/loans/loans.ts'
import { lentDaysJson } from '../../../../shared/loans/loans-shape.ts'
import type { Language } from '../../../../shared/messages/languages.ts'
import type { PlaceRules, RuleName, Rules } from '../../../../shared/rules/rules.ts'
import { placeRulesJson } from '../../../../shared/rules/rules-shape.ts'
import { startOfDaySql } from '../../../../shared/schemas/days.ts'
import { timestampText } from '../../../../shared/schemas/json.ts'
import { HAS_NO_GUEST_SQL, SHOWN_TITLE_SQL, shownPersonSql } from '../screen/shown-names.ts'

export type DoorClaim = {
  id: number
  eventId: number | null
  from: string
  /** The end of the claim; null if it has no end. */
  to: string | null
  /** A name or initials, as far as the screen may show them; null for a person whom the screen does not name. */
  who: string | null
  title: string | null
  checkInFrom: string | null
  checkInUntil: string | null
  isCheckedIn: boolean
  /** Whether anybody may end the claim at the screen. False if the meeting has other rooms, because it would
   * end there too. */
  mayEnd: boolean
}

export type Door = {
  id: number
  language: Language
  bookableId: number
  locationId: number
  name: string
  place: string
  zone: string
  type: number
  status: number
  capacity: number | null
  requiresVehicle: boolean
  /** Whether the screen shows who has booked. */
  showsNames: boolean
  /** The id of the person in whose name the screen books; null if the screen cannot book. */
  bookerId: number | null
  bookerGroups: number[]
  isForBooker: boolean
  lent: LentDays | null
  /** The start of today and the end of tomorrow, in the building's time zone. */
  from: string
  to: string
  claims: DoorClaim[]
  rules: {
    effective: { [Name in RuleName]: { value: NonNullable<Rules[Name]> | null } }
    closed: PlaceRules['closed']
  }
}

const CLAIM_JSON = `json_build_object('id', claims.id, 'eventId', claims.event_id,
  'from', ${timestampText('lower(claims.during)')}, 'to', ${timestampText('upper(claims.during)')},
  'who', ${shownPersonSql(HAS_NO_GUEST_SQL)}, 'title', ${SHOWN_TITLE_SQL},
  'checkInFrom', ${timestampText('claims.check_in_from')}, 'checkInUntil', ${timestampText('claims.check_in_until')},
  'isCheckedIn', claims.checked_in_at IS NOT NULL,
  'mayEnd', claims.hold_id IS NULL AND NOT EXISTS (
    SELECT FROM bookings AS others WHERE others.event_id = claims.event_id AND others.id <> claims.id))`

const CLAIMS_JSON = `(SELECT coalesce(json_agg(${CLAIM_JSON} ORDER BY lower(claims.during), claims.id), '[]')
  FROM (${claimsOfBookableSql('bookables.id', 'days.begins', 'days.ends')}) AS claims
  LEFT JOIN events ON events.id = claims.event_id
  LEFT JOIN users AS people ON people.id = coalesce(claims.user_id, events.organizer_user_id)
  WHERE NOT isempty(claims.during))`

const DOOR_JSON = `json_build_object('id', screens.id, 'language', screens.language, 'bookableId', bookables.id,
  'locationId', locations.id, 'name', bookables.name, 'place', concat_ws(', ', locations.name, buildings.name),
  'zone', buildings.timezone, 'type', bookables.type, 'status', bookables.status, 'capacity', bookables.capacity,
  'requiresVehicle', bookables.requires_vehicle, 'showsNames', screens.names <> 'none', 'bookerId', bookers.id,
  'bookerGroups', (SELECT coalesce(json_agg(group_id ORDER BY group_id), '[]') FROM group_members WHERE user_id = bookers.id),
  'lent', ${lentDaysJson('bookables.id')}, 'isForBooker', EXISTS (
    SELECT FROM bookable_assignees WHERE bookable_assignees.bookable_id = bookables.id AND user_id = bookers.id),
  'from', ${timestampText('days.begins')}, 'to', ${timestampText('days.ends')},
  'claims', ${CLAIMS_JSON}, 'rules', (${placeRulesJson('bookables')})::json, 'appearance', screens.appearance)`

/** Selects doors. $1 are the ids of screens, and $2 is the current time. */
const SELECT_DOORS = `
  SELECT screens.id, ${DOOR_JSON} AS door
  FROM screens
  JOIN bookables ON bookables.id = screens.bookable_id AND bookables.deleted_at IS NULL
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id
  LEFT JOIN users AS bookers ON bookers.id = screens.booking_user_id AND bookers.deactivated_at IS NULL
  CROSS JOIN LATERAL (
    SELECT ${startOfDaySql('today', 'buildings.timezone')} AS begins,
      ${startOfDaySql('(today + 2)', 'buildings.timezone')} AS ends
    FROM (SELECT ($2::timestamptz AT TIME ZONE buildings.timezone)::date AS today) AS local) AS days
  WHERE screens.id = ANY ($1::bigint[]) AND screens.kind = 'door' AND screens.revoked_at IS NULL`

export async function findDoorVersions(
  pool: pg.Pool,
  ids: number[],
  now: string,
): Promise<Map<number, string>> {
  const text = `SELECT id, md5(door::text) AS version FROM (${SELECT_DOORS}) AS doors`
  const { rows } = await pool.query<{ id: number; version: string }>({
    name: 'find-door-versions',
    text,
    values: [ids, now],
  })
  return new Map(rows.map(({ id, version }) => [id, version]))
}

export async function findDoors(
  pool: pg.Pool,
  ids: number[],
  now: string,
): Promise<Array<{ version: string; door: Door }>> {
  const text = `SELECT md5(door::text) AS version, door FROM (${SELECT_DOORS}) AS doors`
  const { rows } = await pool.query({ name: 'find-doors', text, values: [ids, now] })
  return rows
}
