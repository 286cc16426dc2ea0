// Bookings from now on: those of a user, and those that deactivated users still have.
import type pg from 'pg'
import type { Slice } from '../ui/paging.ts'

export type FutureBooking = {
  id: number
  bookable: string
  location: string
  building: string
  timezone: string
  from: string
  to: string | null
  plate: string | null
}

const FUTURE = 'bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)'

/** What a user has booked from now on. */
export async function listFutureBookings(
  reads: pg.Pool,
  userId: number,
  now: string,
  limit: number,
): Promise<FutureBooking[]> {
  const { rows } = await reads.query<FutureBooking>(
    `SELECT bookings.id, bookables.name AS bookable, locations.name AS location, buildings.name AS building,
       buildings.timezone, lower(during) AS "from", CASE WHEN NOT upper_inf(during) THEN upper(during) END AS "to",
       bookings.license_plate AS plate
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE ${FUTURE}
     ORDER BY lower(during), bookings.id
     LIMIT $3`,
    [userId, now, limit],
  )
  return rows
}

export async function countFutureBookings(reads: pg.Pool, userId: number, now: string): Promise<number> {
  const { rows } = await reads.query<{ bookings: number }>(
    `SELECT count(*)::int AS bookings FROM bookings WHERE ${FUTURE}`,
    [userId, now],
  )
  return rows[0]?.bookings ?? 0
}

export type DeactivatedHolder = {
  id: number
  name: string
  email: string
  deactivatedAt: string
  bookings: number
  next: string
}

const HOLDERS = `
  SELECT users.id, users.name, users.email, users.deactivated_at AS "deactivatedAt", count(*)::int AS bookings,
    min(lower(bookings.during)) AS next
  FROM users JOIN bookings ON bookings.user_id = users.id
  WHERE users.deactivated_at IS NOT NULL AND bookings.during && tstzrange($1, NULL)
  GROUP BY users.id`

/** Deactivated users who still have bookings; those with most of them first. */
export async function listDeactivatedHolders(
  reads: pg.Pool,
  now: string,
  { offset, limit }: Slice,
): Promise<DeactivatedHolder[]> {
  const { rows } = await reads.query<DeactivatedHolder>(
    `SELECT * FROM (${HOLDERS}) AS holders ORDER BY bookings DESC, lower(name), id LIMIT $2 OFFSET $3`,
    [now, limit, offset],
  )
  return rows
}

export async function countDeactivatedHolders(
  reads: pg.Pool,
  now: string,
): Promise<{ users: number; bookings: number }> {
  const { rows } = await reads.query<{ users: number; bookings: number }>(
    `SELECT count(*)::int AS users, coalesce(sum(bookings), 0)::int AS bookings FROM (${HOLDERS}) AS holders`,
    [now],
  )
  return rows[0] ?? { users: 0, bookings: 0 }
}
