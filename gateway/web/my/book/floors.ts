// The floors where somebody can book, their usual one first: where they have had the most bookings within eight weeks.
import type pg from 'pg'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { ruleInForce } from '../../../../shared/rules/rules-shape.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { column, number, PLACE, type RowOf, selectRows } from '../../../reads/rows/rows.ts'

const FLOOR = {
  ...PLACE,
  hours: column<OpeningHours | null>(ruleInForce('locations', 'opening_hours')),
  /** The types of the places that can be booked there. */
  types: column<number[]>('present.types'),
  usual: number('coalesce(used.bookings, 0)'),
}
export type Floor = RowOf<typeof FLOOR>

const SHOWN_MAX = 500
export const USUAL = "interval '56 days'"

export const listFloors = (reads: pg.Pool, userId: number, type: number, now: string): Promise<Floor[]> =>
  selectRows(
    reads,
    FLOOR,
    `locations JOIN buildings ON buildings.id = locations.building_id
     JOIN LATERAL (
       SELECT array_agg(DISTINCT type ORDER BY type) AS types FROM bookables
       WHERE bookables.location_id = locations.id AND deleted_at IS NULL
     ) AS present ON present.types IS NOT NULL
     LEFT JOIN (
       SELECT location_id, count(*)::int AS bookings FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
       WHERE bookings.user_id = $1 AND bookables.type = $2 AND lower(bookings.during) > $3::timestamptz - ${USUAL}
       GROUP BY location_id
     ) AS used ON used.location_id = locations.id
     ORDER BY coalesce(used.bookings, 0) DESC, NOT $2 = ANY(present.types),
       ${naturalSql('buildings.name')}, ${naturalSql('locations.name')}, locations.id LIMIT ${SHOWN_MAX}`,
    [userId, type, now],
  )
