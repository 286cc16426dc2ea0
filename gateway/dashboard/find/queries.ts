// Queries of the Find page: places by words, and a booking by its number.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { CHOICES_MAX } from '../search/choices.ts'
import { SqlConditions } from '../search/sql-conditions.ts'

type PlaceFound = { kind: 'building' | 'location'; id: number; name: string; building: string | null }
type BookingFound = { id: number; bookable: string; who: string }

/** Returns up to one more than the page shows. */
export async function searchPlaces(reads: pg.Pool, words: string): Promise<PlaceFound[]> {
  const conditions = new SqlConditions()
  conditions.addSearch(words, ['name', 'code', "coalesce(building, '')"])
  const { rows } = await reads.query<PlaceFound>(
    `SELECT kind, id, name, building FROM (
       SELECT 'building' AS kind, id, name, '' AS code, NULL AS building FROM buildings
       UNION ALL
       SELECT 'location', locations.id, locations.name, locations.code, buildings.name
       FROM locations JOIN buildings ON buildings.id = locations.building_id
     ) AS places
     WHERE ${conditions.sql} 
     ORDER BY kind, ${naturalSql('building')}, ${naturalSql('name')}, id LIMIT ${CHOICES_MAX + 1}`,
    conditions.values,
  )
  return rows
}

export async function findBookingOf(reads: pg.Pool, id: number): Promise<BookingFound | undefined> {
  const { rows } = await reads.query<BookingFound>(
    `SELECT bookings.id, bookables.name AS bookable, users.name AS who
     FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id JOIN users ON users.id = bookings.user_id
     WHERE bookings.id = $1`,
    [id],
  )
  return rows[0]
}
