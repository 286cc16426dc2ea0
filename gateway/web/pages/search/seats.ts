// Says where people sit on a day: each person's desk, or else their room or home office, in its building's own day.
// A booking that lasts comes before one that is next, and before one that has ended.
import type pg from 'pg'
import { claimsOfUsers } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import {
  BOOKED,
  CLAIMED,
  column,
  columnNames,
  columnsSql,
  flag,
  JOIN_BOOKABLES,
  JOIN_PLACES,
  number,
  type RowOf,
  selectRow,
} from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import { formatTimeBeside } from '../time/instants.ts'

const BOOKED_SEAT = {
  userId: number('bookings.user_id'),
  ...BOOKED,
  ...CLAIMED,
  isAssigned: flag('false'),
  /** 0: now, 1: later that day, 2: earlier. */
  rank: number('CASE WHEN during @> days.moment THEN 0 WHEN lower(during) > days.moment THEN 1 ELSE 2 END'),
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

// Each day lasts from midnight to midnight in its building.
const DAYS = (moments: string) => `
  SELECT ordinal::int - 1 AS day, moment, buildings.id AS building_id, midnight AT TIME ZONE timezone AS starts,
    (midnight + interval '1 day') AT TIME ZONE timezone AS ends
  FROM unnest(${moments}) WITH ORDINALITY AS asked (moment, ordinal), buildings,
    LATERAL (SELECT date_trunc('day', moment AT TIME ZONE timezone) AS midnight) AS local`

/**
 * SQL: what these users (an array of ids) have booked for themselves on the days of these moments (an array), with the day's
 * number from 0. It reads the bookings of these days only, however many years there are.
 */
export const seatsOnDays = (users: string, moments: string): string => `
  WITH days AS MATERIALIZED (${DAYS(moments)}), claimed AS MATERIALIZED (${claimsOfUsers(
    users,
    '(SELECT min(starts) FROM days)',
    '(SELECT max(ends) FROM days)',
  )})
  SELECT days.day, ${columnsSql(BOOKED_SEAT)} FROM claimed AS bookings ${JOIN_BOOKABLES}
  JOIN days ON days.building_id = buildings.id AND during && tstzrange(days.starts, days.ends)
  WHERE guest_name IS NULL AND guest_email IS NULL`

const SEATS = {
  name: 'seats-of-day',
  text: `
    SELECT * FROM (
      SELECT ${columnNames(BOOKED_SEAT)} FROM (${seatsOnDays('$1::bigint[]', 'ARRAY[$2::timestamptz]')}) AS booked
      UNION ALL
      SELECT ${columnsSql(ASSIGNED_SEAT)} FROM bookable_assignees
      JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${JOIN_PLACES}
      WHERE bookable_assignees.user_id = ANY($1::bigint[]) AND bookables.deleted_at IS NULL
    ) AS seats
    ORDER BY "userId", type = ${BOOKABLE_TYPES.parkingSpot}, "isAssigned", rank, "from", "bookableId" LIMIT 1000`,
}

/** All that people have booked for themselves on the day of this moment, then what is assigned to them. */
export async function listSeats(reads: pg.Pool, userIds: number[], at: string): Promise<Seat[]> {
  if (userIds.length === 0) return []
  return (await reads.query<Seat>({ ...SEATS, values: [userIds, at] })).rows
}

const SEATS_OF_DAYS = {
  name: 'seats-of-days',
  text: `
    SELECT day, ${columnNames(BOOKED_SEAT)} FROM (${seatsOnDays('ARRAY[$1::bigint]', '$2::timestamptz[]')}) AS booked
    ORDER BY day, rank, "from", "bookableId" LIMIT 1000`,
}

/** Lists what a person has booked for themselves on the day of each of these moments. */
export async function listBookedSeats(reads: pg.Pool, userId: number, moments: string[]): Promise<Seat[][]> {
  const { rows } = await reads.query<Seat & { day: number }>({ ...SEATS_OF_DAYS, values: [userId, moments] })
  return moments.map((_, index) => rows.filter(({ day }) => day === index))
}

/** The first seat by the ids of people. Those without a booking that day and without an assigned desk are missing. */
export async function findSeats(reads: pg.Pool, userIds: number[], at: string): Promise<Map<number, Seat>> {
  const seats = await listSeats(reads, userIds, at)
  return new Map(seats.reverse().map((seat) => [seat.userId, seat]))
}

const WORKPLACES: number[] = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.parkingSpot]
const LATELY = "interval '8 weeks'"

/**
 * Finds the bookable near which to look for a room: where somebody sits that day, else what they booked most lately in the
 * building that they booked most.
 */
export async function findWorkplace(reads: pg.Pool, userId: number, at: string): Promise<number | undefined> {
  const seats = await listSeats(reads, [userId], at)
  const seat = seats.find(({ type }) => WORKPLACES.includes(type))
  if (seat) return seat.bookableId
  const usual = await selectRow(
    reads,
    { id: number('bookable_id') },
    `bookings JOIN bookables ON bookables.id = bookable_id JOIN locations ON locations.id = location_id
     WHERE user_id = $1 AND during && tstzrange($2::timestamptz - ${LATELY}, $2) AND type = ANY($3)
     GROUP BY building_id, bookable_id
     ORDER BY sum(count(*)) OVER (PARTITION BY building_id) DESC, count(*) DESC, max(lower(during)) DESC LIMIT 1`,
    [userId, at, WORKPLACES],
  )
  return usual?.id
}

/** `Desk 7, 3rd floor, Harbour House, until 17:00`. */
export function describeSeat(seat: Seat | undefined, now: string): string {
  if (!seat) return t`not in today`
  const { bookable, location, building } = seat
  return `${bookable}, ${location}, ${building}, ${describeSeatTime(seat, now)}`
}

export function describeSeatTime({ from, to, zone, isAssigned, rank }: Seat, now: string): string {
  if (isAssigned) return t`assigned, not booked`
  if (rank > 0)
    return `${formatTimeBeside(from, now, zone)}–${to === null ? '' : formatTimeBeside(to, now, zone)}`
  return to === null ? t`open-ended` : t`until ${formatTimeBeside(to, now, zone)}`
}
