// Finds the colleagues who sit near a desk at the time of a booking.
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { distanceSql } from '../../../../shared/schemas/ordering.ts'
import * as rows from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import type { OwnBooking } from './own-bookings.ts'

const NEAR_PEOPLE_MAX = 5

const NEAR_COLUMNS = {
  id: rows.numberColumn('near.id'),
  name: rows.textColumn('near.name'),
  seat: rows.textColumn('near.seat'),
}
export type NearColleague = rows.RowOf<typeof NEAR_COLUMNS>

// $1 is the floor, $2 and $3 the time, $4 the desk, and $5 the person.
const DESKS_SQL = `SELECT id FROM bookables WHERE location_id = $1 AND type = ${BOOKABLE_TYPES.desk} AND deleted_at IS NULL`
const NEAR_FROM = `(
  SELECT DISTINCT ON (users.id) users.id, users.name, bookables.name AS seat, ${distanceSql('wanted', 'bookables', 'plan')} AS distance
  FROM (${claimsBetweenSql('$2', '$3', 'bookings.guest_name IS NULL AND bookings.guest_email IS NULL', DESKS_SQL).join(' UNION ALL ')}) AS held
  JOIN colleagues AS users ON users.id = held.user_id
  JOIN bookables ON bookables.id = held.bookable_id
  JOIN bookables AS wanted ON wanted.id = $4
  JOIN locations AS plan ON plan.id = wanted.location_id
  WHERE users.id <> $5
  ORDER BY users.id, distance
) AS near ORDER BY near.distance, near.name, near.id LIMIT ${NEAR_PEOPLE_MAX}`

/** Lists the colleagues on the same floor at that time that the person may see, with the nearest first. */
export async function listNearColleagues(
  { reads, requirePerson, now }: Call,
  { type, locationId, bookableId, from, to }: OwnBooking,
): Promise<NearColleague[]> {
  if (type !== BOOKABLE_TYPES.desk || to === null) return []
  const starts = from > now ? from : now
  return rows.selectRows(reads, NEAR_COLUMNS, NEAR_FROM, [
    locationId,
    starts,
    to,
    bookableId,
    requirePerson().id,
  ])
}
