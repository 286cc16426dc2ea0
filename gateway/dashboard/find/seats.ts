// Says where people sit today, for search results: each person's desk, or else their room or home office, in its
// building's own day. A booking that lasts comes before one that is next, and before one that has ended.
import type pg from 'pg'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { t } from '../locales/translate.ts'
import {
  BOOKED,
  CLAIMED,
  column,
  columnsSql,
  flag,
  JOIN_BOOKABLES,
  JOIN_PLACES,
  number,
  type RowOf,
} from '../search/rows.ts'
import { formatTimeBeside } from '../time/instants.ts'

const BOOKED_SEAT = {
  userId: number('bookings.user_id'),
  ...BOOKED,
  ...CLAIMED,
  isAssigned: flag('false'),
  rank: number(
    'CASE WHEN during @> $2::timestamptz THEN 0 WHEN lower(during) > $2::timestamptz THEN 1 ELSE 2 END',
  ),
}
const ASSIGNED_SEAT = {
  ...BOOKED_SEAT,
  userId: number('bookable_assignees.user_id'),
  from: column<string>('NULL::text'),
  to: column<string | null>('NULL::text'),
  isAssigned: flag('true'),
  rank: number('0'),
}
export type Seat = RowOf<typeof BOOKED_SEAT>

const SEATS = {
  name: 'seats-today',
  text: `
    SELECT DISTINCT ON ("userId") * FROM (
      SELECT ${columnsSql(BOOKED_SEAT)} FROM bookings ${JOIN_BOOKABLES}
      CROSS JOIN LATERAL (SELECT date_trunc('day', $2::timestamptz AT TIME ZONE timezone) AS day) AS local
      WHERE bookings.user_id = ANY($1::bigint[]) AND lower(during) < $2::timestamptz + interval '2 days'
        AND during && tstzrange(day AT TIME ZONE timezone, (day + interval '1 day') AT TIME ZONE timezone)
        AND guest_name IS NULL AND guest_email IS NULL
      UNION ALL
      SELECT ${columnsSql(ASSIGNED_SEAT)} FROM bookable_assignees
      JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${JOIN_PLACES}
      WHERE bookable_assignees.user_id = ANY($1::bigint[]) AND bookables.deleted_at IS NULL
    ) AS seats
    ORDER BY "userId", type = ${BOOKABLE_TYPES.parkingSpot}, "isAssigned", rank, "from", "bookableId"`,
}

/** By the ids of people. Those without a booking today and without an assigned desk are missing. */
export async function findSeats(reads: pg.Pool, userIds: number[], now: string): Promise<Map<number, Seat>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await reads.query<Seat>({ ...SEATS, values: [userIds, now] })
  return new Map(rows.map((seat) => [seat.userId, seat]))
}

/** `Desk 7, 3rd floor, Harbour House, until 17:00`. */
export function describeSeat(seat: Seat | undefined, now: string): string {
  if (!seat) return t`not in today`
  const { bookable, location, building } = seat
  return `${bookable}, ${location}, ${building}, ${describeTime(seat, now)}`
}

function describeTime({ from, to, zone, isAssigned, rank }: Seat, now: string): string {
  if (isAssigned) return t`assigned, not booked`
  if (rank > 0)
    return `${formatTimeBeside(from, now, zone)}–${to === null ? '' : formatTimeBeside(to, now, zone)}`
  return to === null ? t`open-ended` : t`until ${formatTimeBeside(to, now, zone)}`
}
