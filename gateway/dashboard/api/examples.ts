// Ids that exist, so that example requests work unchanged.
import type pg from 'pg'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'

export type Examples = {
  user_id: number | null
  user_email: string | null
  building_id: number | null
  location_id: number | null
  bookable_id: number | null
  booking_id: number | null
  event_id: number | null
}

export async function findExamples(reads: pg.Pool): Promise<Examples> {
  const { rows } = await reads.query<Examples>(
    `SELECT some_user.id AS user_id, some_user.email AS user_email, some_bookable.*,
       (SELECT id FROM bookings WHERE user_id IS NOT NULL ORDER BY id DESC LIMIT 1) AS booking_id,
       (SELECT id FROM events ORDER BY id DESC LIMIT 1) AS event_id
     FROM (VALUES (1)) AS one_row
     LEFT JOIN (SELECT id, email FROM users WHERE deactivated_at IS NULL ORDER BY id LIMIT 1) AS some_user ON true
     LEFT JOIN (
       SELECT bookables.id AS bookable_id, locations.id AS location_id, locations.building_id
       FROM bookables JOIN locations ON locations.id = bookables.location_id
       WHERE bookables.deleted_at IS NULL AND bookables.status = ${BOOKABLE_STATUSES.flexible} ORDER BY bookables.id LIMIT 1
     ) AS some_bookable ON true`,
  )
  return rows[0] as Examples
}
