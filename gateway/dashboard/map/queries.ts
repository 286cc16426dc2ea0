// What the map of a location shows at a moment: where everything stands, who has it until when, and who comes next.
import type pg from 'pg'
import { claimsOf } from '../../../shared/shapes/claims.ts'

export type MapMoment = {
  id: number
  name: string
  code: string
  buildingId: number
  building: string
  timezone: string
  /** The moment that is shown, and its day and time there. */
  at: string
  date: string
  time: string
}

export type MapBookable = {
  id: number
  name: string
  type: number
  status: number
  x: number | null
  y: number | null
  occupied: boolean
  isDeleted: boolean
  /** How many have it; more than one have a home office only. */
  claims: number
  /** The first few of them. `to` is absent where it is open-ended. */
  holders: Array<{ who: string; guest: string | null; event: string | null; to: string | null }>
  /** When somebody has it next, within a day. */
  next: string | null
  assignees: string[]
}

export type MapBooking = {
  locationId: number
  bookableId: number
  bookable: string
  who: string
  from: string
  to: string | null
}

const HOLDERS_SHOWN = 3

type Asked = { locationId: number; now: string; date?: string | undefined; time?: string | undefined }

/** The day and the time are those of the building; what is not given is as it is now. */
export async function findMapMoment(reads: pg.Pool, asked: Asked): Promise<MapMoment | undefined> {
  const { rows } = await reads.query<MapMoment>(
    `SELECT locations.id, locations.name, locations.code, buildings.id AS "buildingId",
       buildings.name AS building, timezone, at,
       to_char(at AT TIME ZONE timezone, 'YYYY-MM-DD') AS date, to_char(at AT TIME ZONE timezone, 'HH24:MI') AS time
     FROM locations JOIN buildings ON buildings.id = locations.building_id,
     LATERAL (SELECT $2::timestamptz AT TIME ZONE timezone AS clock) AS present,
     LATERAL (
       SELECT CASE WHEN $3::date IS NULL AND $4::time IS NULL THEN $2::timestamptz
         ELSE (coalesce($3::date, clock::date) + coalesce($4::time, clock::time)) AT TIME ZONE timezone END AS at
     ) AS shown
     WHERE locations.id = $1`,
    [asked.locationId, asked.now, asked.date ?? null, asked.time ?? null],
  )
  return rows[0]
}

export async function findMapBooking(reads: pg.Pool, id: number): Promise<MapBooking | undefined> {
  const { rows } = await reads.query<MapBooking>(
    `SELECT bookables.location_id AS "locationId", bookables.id AS "bookableId", bookables.name AS bookable,
       coalesce(users.name, events.name) AS who,
       lower(bookings.during) AS from, upper(bookings.during) AS to
     FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     WHERE bookings.id = $1`,
    [id],
  )
  return rows[0]
}

const AT = '$2::timestamptz'
// Of each bookable, everything within a day from then on: looked up once, for who has it and for who is next.
const CLAIMS = claimsOf(
  `bookings.bookable_id = bookables.id AND bookings.during && tstzrange(${AT}, ${AT} + interval '1 day')`,
)
const HOLDERS = `
  SELECT json_agg(json_build_object(
    'who', coalesce(users.name, organizers.name), 'guest', claims.guest_name, 'event', events.name,
    'to', upper(claims.during)
  ) ORDER BY claims.id)
  FROM (SELECT * FROM present ORDER BY id LIMIT ${HOLDERS_SHOWN}) AS claims
  LEFT JOIN users ON users.id = claims.user_id
  LEFT JOIN events ON events.id = claims.event_id
  LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id`

/** `withDeleted`: one that is shown although it was deleted, because its past booking is looked at. */
export async function listMapBookables(
  reads: pg.Pool,
  { locationId, at, withDeleted }: { locationId: number; at: string; withDeleted?: number | undefined },
): Promise<MapBookable[]> {
  const { rows } = await reads.query<MapBookable>(
    `SELECT bookables.id, bookables.name, bookables.type, bookables.status,
       bookables.position_x AS x, bookables.position_y AS y, bookables.deleted_at IS NOT NULL AS "isDeleted",
       claimed.claims > 0 AS occupied, claimed.claims, coalesce(claimed.holders, '[]') AS holders, claimed.next,
       coalesce((
         SELECT json_agg(users.name ORDER BY lower(users.name), users.id)
         FROM bookable_assignees JOIN users ON users.id = bookable_assignees.user_id
         WHERE bookable_assignees.bookable_id = bookables.id
       ), '[]') AS assignees
     FROM bookables, LATERAL (
       WITH claims AS MATERIALIZED (${CLAIMS}), present AS (SELECT * FROM claims WHERE during @> ${AT})
       SELECT (SELECT count(*)::int FROM present) AS claims, (${HOLDERS}) AS holders,
         (SELECT min(lower(during)) FROM claims WHERE lower(during) > ${AT}) AS next
     ) AS claimed
     WHERE location_id = $1 AND (deleted_at IS NULL OR id = $3)
     ORDER BY id`,
    [locationId, at, withDeleted ?? null],
  )
  return rows
}
