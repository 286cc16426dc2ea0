// Queries for a day in a building or on a floor: a page of its bookables, and their claims in local time.

import type pg from 'pg'
import { claimsBetween } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { type Listed, type Slice, toListed } from '../ui/paging.ts'

export type DayPlace = {
  /** Null for the whole building. */
  locationId: number | null
  location: string | null
  buildingId: number
  building: string
  timezone: string
}

export type DayRow = {
  id: number
  name: string
  type: number
  status: number
  capacity: number | null
  location: string
  claims: DayClaim[]
}

/** `from` and `to` are minutes of the day. */
export type DayClaim = {
  id: number
  bookableId: number
  eventId: number | null
  event: string | null
  who: string
  guest: string | null
  from: number
  to: number
  /** The claim begins or ends on another day. */
  spansOtherDays: boolean
}

type Place = { building?: number | undefined; location?: number | undefined }
type Day = { date: string; from: string; to: string; zone: string }

export async function findDayPlace(
  reads: pg.Pool,
  { building, location }: Place,
): Promise<DayPlace | undefined> {
  const { rows } = await reads.query<DayPlace>(
    `SELECT locations.id AS "locationId", locations.name AS location, buildings.id AS "buildingId",
       buildings.name AS building, buildings.timezone
     FROM buildings LEFT JOIN locations ON locations.building_id = buildings.id AND locations.id = $2
     WHERE ($2::bigint IS NOT NULL AND locations.id = $2)
       OR ($2::bigint IS NULL AND ($1::bigint IS NULL OR buildings.id = $1))
     ORDER BY ${naturalSql('buildings.name')}, buildings.id LIMIT 1`,
    [building ?? null, location ?? null],
  )
  return rows[0]
}

/** Lists rooms first. Leaves out home offices: they have room for everybody, so nobody needs their hours. */
export async function listDay(
  reads: pg.Pool,
  { buildingId, locationId }: DayPlace,
  type: number | undefined,
  day: Day,
  { offset, limit }: Slice,
): Promise<Listed<DayRow>> {
  const { rows } = await reads.query<Omit<DayRow, 'claims'> & { total: number }>(
    `SELECT bookables.id, bookables.name, bookables.type, bookables.status, bookables.capacity,
       locations.name AS location, count(*) OVER ()::int AS total
     FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.location_id = ANY (ARRAY(
         SELECT id FROM locations WHERE building_id = $1 AND ($2::bigint IS NULL OR id = $2)))
       AND bookables.deleted_at IS NULL AND bookables.type <> ${BOOKABLE_TYPES.homeOffice}
       AND ($3::int IS NULL OR bookables.type = $3)
     ORDER BY bookables.type <> ${BOOKABLE_TYPES.meetingRoom}, bookables.location_id, bookables.type,
       ${naturalSql('bookables.name')}, bookables.id
     LIMIT ${limit} OFFSET ${offset}`,
    [buildingId, locationId, type ?? null],
  )
  const claims = await listClaims(
    reads,
    rows.map(({ id }) => id),
    day,
  )
  return toListed(rows.map((row) => ({ ...row, claims: claims.get(row.id) ?? [] })))
}

const MINUTE = (moment: string) =>
  `(extract(epoch FROM (${moment} AT TIME ZONE $4) - $5::date::timestamp) / 60)::int`

async function listClaims(
  reads: pg.Pool,
  ids: number[],
  { from, to, zone, date }: Day,
): Promise<Map<number, DayClaim[]>> {
  const claims = claimsBetween('$2', '$3', 'bookings.exclusive', 'SELECT unnest($1::bigint[])')
  const { rows } = await reads.query<DayClaim>(
    `SELECT claims.id, claims.bookable_id AS "bookableId", claims.event_id AS "eventId", events.name AS event,
       coalesce(users.name, organizers.name, '') AS who, coalesce(claims.guest_name, claims.guest_email) AS guest,
       ${MINUTE('greatest(lower(claims.during), $2::timestamptz)')} AS "from",
       ${MINUTE('least(upper(claims.during), $3::timestamptz)')} AS "to",
       NOT claims.during <@ tstzrange($2, $3) AS "spansOtherDays"
     FROM (${claims.join(' UNION ALL ')}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     ORDER BY lower(claims.during)`,
    [ids, from, to, zone, date],
  )
  const found = new Map<number, DayClaim[]>()
  for (const row of rows) found.set(row.bookableId, [...(found.get(row.bookableId) ?? []), row])
  return found
}
