// Queries for a user's bookings, upcoming and past, and for the bookings and assignments that deactivated
// users still have.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { type Listed, type Slice, toListed } from '../ui/paging.ts'

export type UserBooking = {
  id: number
  bookable: string
  location: string
  building: string
  timezone: string
  from: string
  to: string | null
  plate: string | null
}

const BOOKINGS = `
  SELECT bookings.id, bookables.name AS bookable, locations.name AS location, buildings.name AS building,
    buildings.timezone, lower(during) AS "from", CASE WHEN NOT upper_inf(during) THEN upper(during) END AS "to",
    bookings.license_plate AS plate
  FROM bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

const FUTURE = 'bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)'

/** A user's current and upcoming bookings. */
export async function listFutureBookings(
  reads: pg.Pool,
  userId: number,
  now: string,
  limit: number,
): Promise<UserBooking[]> {
  const { rows } = await reads.query<UserBooking>(
    `${BOOKINGS} WHERE ${FUTURE} ORDER BY lower(during), bookings.id LIMIT $3`,
    [userId, now, limit],
  )
  return rows
}

/** A user's past bookings, the latest first. */
export async function listPastBookings(
  reads: pg.Pool,
  userId: number,
  now: string,
  limit: number,
): Promise<UserBooking[]> {
  const { rows } = await reads.query<UserBooking>(
    `${BOOKINGS} WHERE bookings.user_id = $1 AND lower(during) < $2 AND upper(during) <= $2
     ORDER BY lower(during) DESC, bookings.id DESC LIMIT $3`,
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
  /** When the next booking begins; null if there is none. */
  next: string | null
  assigned: Array<{ id: number; name: string }>
}

const HOLDERS = `
  SELECT users.id, users.name, users.email, users.deactivated_at AS "deactivatedAt",
    coalesce(held.bookings, 0) AS bookings, held.next, coalesce(given.assigned, '[]') AS assigned
  FROM users
  LEFT JOIN (
    SELECT users.id, count(*)::int AS bookings, min(lower(bookings.during)) AS next
    FROM users JOIN bookings ON bookings.user_id = users.id
    WHERE users.deactivated_at IS NOT NULL AND bookings.during && tstzrange($1, NULL)
    GROUP BY users.id
  ) AS held ON held.id = users.id
  LEFT JOIN (
    SELECT users.id, json_agg(json_build_object('id', bookables.id, 'name', bookables.name)
      ORDER BY ${naturalSql('bookables.name')}, bookables.id) AS assigned
    FROM bookable_assignees
    JOIN users ON users.id = bookable_assignees.user_id
    JOIN bookables ON bookables.id = bookable_assignees.bookable_id
    WHERE users.deactivated_at IS NOT NULL AND bookables.deleted_at IS NULL
    GROUP BY users.id
  ) AS given ON given.id = users.id
  WHERE users.deactivated_at IS NOT NULL AND (held.id IS NOT NULL OR given.id IS NOT NULL)`

/** Deactivated users who still have bookings or assignments; those with the most bookings first. */
export async function listDeactivatedHolders(
  reads: pg.Pool,
  now: string,
  { offset, limit }: Slice,
): Promise<Listed<DeactivatedHolder>> {
  const { rows } = await reads.query<DeactivatedHolder & { total: number }>(
    `SELECT *, (count(*) OVER ())::int AS total FROM (${HOLDERS}) AS holders ORDER BY bookings DESC, lower(name), id LIMIT $2 OFFSET $3`,
    [now, limit, offset],
  )
  return toListed(rows)
}

export async function countDeactivatedHolders(
  reads: pg.Pool,
  now: string,
): Promise<{ users: number; bookings: number; assigned: number }> {
  const { rows } = await reads.query<{ users: number; bookings: number; assigned: number }>(
    `SELECT count(*)::int AS users, coalesce(sum(bookings), 0)::int AS bookings,
       coalesce(sum(json_array_length(assigned)), 0)::int AS assigned
     FROM (${HOLDERS}) AS holders`,
    [now],
  )
  return rows[0] ?? { users: 0, bookings: 0, assigned: 0 }
}
