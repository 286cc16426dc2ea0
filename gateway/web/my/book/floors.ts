// Lists the floors where a person can book. The first one is the person's usual floor, where they have had
// the most bookings within eight weeks.
import type pg from 'pg'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { ruleInForceSql } from '../../../../shared/rules/rules-shape.ts'
import type { Slot } from '../../../../shared/rules/slots.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import {
  column,
  flagColumn,
  numberColumn,
  PLACE_COLUMNS,
  type RowOf,
  selectRows,
} from '../../../reads/rows/rows.ts'
import { slotOnlySql } from './wanted-time.ts'

const FLOOR_COLUMNS = {
  ...PLACE_COLUMNS,
  hours: column<OpeningHours | null>(ruleInForceSql('locations', 'opening_hours')),
  /** The slots of the places of the wanted type. */
  slots: column<Slot[] | null>('present.slots'),
  slotOnly: flagColumn('coalesce(present.slot_only, false)'),
  /** The types of the places that can be booked on the floor. */
  types: column<number[]>('present.types'),
  hasFloorPlan: flagColumn('locations.floor_plan_sha256 IS NOT NULL'),
  usual: numberColumn('coalesce(used.bookings, 0)'),
}
export type Floor = RowOf<typeof FLOOR_COLUMNS>

const SHOWN_FLOORS_MAX = 500
export const USUAL_PLACE_PERIOD = "interval '56 days'"

export const listFloors = (reads: pg.Pool, userId: number, type: number, now: string): Promise<Floor[]> =>
  selectRows(
    reads,
    FLOOR_COLUMNS,
    `locations JOIN buildings ON buildings.id = locations.building_id
     JOIN LATERAL (
       SELECT array_agg(DISTINCT type ORDER BY type) AS types,
         (array_agg(${ruleInForceSql('bookables', 'slots')} ORDER BY bookables.rules IS NULL DESC, id)
           FILTER (WHERE type = $2))[1] AS slots,
         bool_and(${slotOnlySql('bookables')}) FILTER (WHERE type = $2) AS slot_only
       FROM bookables
       WHERE bookables.location_id = locations.id AND deleted_at IS NULL
     ) AS present ON present.types IS NOT NULL
     LEFT JOIN (
       SELECT location_id, count(*)::int AS bookings FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
       WHERE bookings.user_id = $1 AND bookables.type = $2 AND lower(bookings.during) > $3::timestamptz - ${USUAL_PLACE_PERIOD}
       GROUP BY location_id
     ) AS used ON used.location_id = locations.id
     ORDER BY coalesce(used.bookings, 0) DESC, NOT $2 = ANY(present.types),
       ${naturalSql('buildings.name')}, ${naturalSql('locations.name')}, locations.id LIMIT ${SHOWN_FLOORS_MAX}`,
    [userId, type, now],
  )
