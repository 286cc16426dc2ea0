// Finds where people sit on a day: each person's desk, or else their room or home office, on the local day of
// its building. A current booking comes first, then a booking later that day, then one that has ended.
import type pg from 'pg'
import { claimsOfUsersSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { startOfDaySql } from '../../../../shared/schemas/days.ts'
import { selectFromPersonPool } from '../../../reads/limits/person-pool.ts'
import {
  BOOKED_PLACE_COLUMNS,
  CLAIM_SPAN_COLUMNS,
  column,
  columnNames,
  columnsSql,
  flagColumn,
  JOIN_BOOKABLES,
  JOIN_PLACES,
  numberColumn,
  type RowOf,
  selectRow,
} from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import { formatTimeBeside } from '../time/instants.ts'

/** Selects the ids of the person's favourites and of the people in the person's groups. */
export const FAVOURITES_AND_GROUPS_IDS_SQL =
  'SELECT colleague_id AS id FROM favourite_colleagues UNION SELECT user_id FROM group_members'

const BOOKED_SEAT_COLUMNS = {
  userId: numberColumn('bookings.user_id'),
  ...BOOKED_PLACE_COLUMNS,
  ...CLAIM_SPAN_COLUMNS,
  isAssigned: flagColumn('false'),
  /** The rank of a booking: 0 if it is current, 1 if it is later that day, 2 if it has ended. */
  rank: numberColumn(
    'CASE WHEN during @> days.moment THEN 0 WHEN lower(during) > days.moment THEN 1 ELSE 2 END',
  ),
}
const ASSIGNED_SEAT_COLUMNS = {
  ...BOOKED_SEAT_COLUMNS,
  userId: numberColumn('bookable_assignees.user_id'),
  from: column<string>('NULL::text'),
  to: column<string | null>('NULL::text'),
  isAssigned: flagColumn('true'),
  rank: numberColumn('0'),
}
export type BookedSeat = RowOf<typeof BOOKED_SEAT_COLUMNS>

// The local day of each building. Computed once for each time zone, because many buildings share one: OFFSET keeps
// Postgres from computing it for each building.
const localDaysOfMomentsSql = (moments: string) => `
  SELECT zones.day, zones.moment, buildings.id AS building_id, zones.starts, zones.ends
  FROM (
    SELECT ordinal::int - 1 AS day, moment, timezone, ${startOfDaySql('date', 'timezone')} AS starts,
      ${startOfDaySql('(date + 1)', 'timezone')} AS ends
    FROM unnest(${moments}) WITH ORDINALITY AS asked (moment, ordinal),
      (SELECT DISTINCT timezone FROM buildings) AS distinct_zones,
      LATERAL (SELECT (moment AT TIME ZONE timezone)::date AS date) AS local OFFSET 0
  ) AS zones JOIN buildings ON buildings.timezone = zones.timezone`

/** SQL for what users (an array of ids) have booked for themselves on the days of the given times (an array),
 * with the number of each day, counted from 0. Reads only the bookings of these days, however many years of
 * bookings there are. */
export const seatsOnDaysSql = (users: string, moments: string): string => `
  WITH days AS MATERIALIZED (${localDaysOfMomentsSql(moments)}), claimed AS MATERIALIZED (${claimsOfUsersSql(
    users,
    '(SELECT min(starts) FROM days)',
    '(SELECT max(ends) FROM days)',
  )})
  SELECT days.day, ${columnsSql(BOOKED_SEAT_COLUMNS)} FROM claimed AS bookings ${JOIN_BOOKABLES}
  JOIN days ON days.building_id = buildings.id AND during && tstzrange(days.starts, days.ends)
  WHERE guest_name IS NULL AND guest_email IS NULL`

const SEATS_STATEMENT = {
  name: 'seats-of-day',
  text: `
    SELECT * FROM (
      SELECT ${columnNames(BOOKED_SEAT_COLUMNS)} FROM (${seatsOnDaysSql('$1::bigint[]', 'ARRAY[$2::timestamptz]')}) AS booked
      UNION ALL
      SELECT ${columnsSql(ASSIGNED_SEAT_COLUMNS)} FROM bookable_assignees
      JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${JOIN_PLACES}
      WHERE bookable_assignees.user_id = ANY($1::bigint[]) AND bookables.deleted_at IS NULL
        AND ${lentUntilSql('$2')} IS NULL
    ) AS seats
    ORDER BY "userId", type = ${BOOKABLE_TYPES.parkingSpot}, "isAssigned", rank, "from", "bookableId" LIMIT 1000`,
}

/** Lists everything that people have booked for themselves on the day of `at`, followed by everything that is
 * assigned to them and not lent on that day. */
export async function listSeats(reads: pg.Pool, userIds: number[], at: string): Promise<BookedSeat[]> {
  if (userIds.length === 0) return []
  return (await reads.query<BookedSeat>({ ...SEATS_STATEMENT, values: [userIds, at] })).rows
}

const SEATS_OF_DAYS_SQL = `
  SELECT day, ${columnNames(BOOKED_SEAT_COLUMNS)} FROM (${seatsOnDaysSql('ARRAY[$1::bigint]', '$2::timestamptz[]')}) AS booked
  ORDER BY day, rank, "from", "bookableId" LIMIT 1000`

/** Lists everything that a person has booked for themselves on the day of each of the given times. */
export async function listBookedSeats(
  reads: pg.Pool,
  userId: number,
  moments: string[],
): Promise<BookedSeat[][]> {
  const rows = await selectFromPersonPool<BookedSeat & { day: number }>(reads, {
    text: SEATS_OF_DAYS_SQL,
    values: [userId, moments],
  })
  return moments.map((_, index) => rows.filter(({ day }) => day === index))
}

/** Returns the first seat of each person by id. Leaves out people who have neither a booking that day nor an
 * assigned desk. */
export async function findFirstSeats(
  reads: pg.Pool,
  userIds: number[],
  at: string,
): Promise<Map<number, BookedSeat>> {
  const seats = await listSeats(reads, userIds, at)
  return new Map(seats.reverse().map((seat) => [seat.userId, seat]))
}

const WORKPLACE_TYPES: number[] = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.parkingSpot]
const RECENT_INTERVAL = "interval '8 weeks'"

/** Finds the bookable near which a person would want a room: the bookable where they sit that day, or else
 * their last booked one in the building where they book most often. */
export async function findWorkplace(reads: pg.Pool, userId: number, at: string): Promise<number | undefined> {
  const seats = await listSeats(reads, [userId], at)
  const seat = seats.find(({ type }) => WORKPLACE_TYPES.includes(type))
  if (seat) return seat.bookableId
  const usual = await selectRow(
    reads,
    { id: numberColumn('bookable_id') },
    `bookings JOIN bookables ON bookables.id = bookable_id JOIN locations ON locations.id = location_id
     WHERE user_id = $1 AND during && tstzrange($2::timestamptz - ${RECENT_INTERVAL}, $2) AND type = ANY($3)
     GROUP BY building_id, bookable_id
     ORDER BY sum(count(*)) OVER (PARTITION BY building_id) DESC, count(*) DESC, max(lower(during)) DESC LIMIT 1`,
    [userId, at, WORKPLACE_TYPES],
  )
  return usual?.id
}

/** Describes a seat, such as `Desk 7, 3rd floor, Harbour House, until 17:00`. */
export function describeSeat(seat: BookedSeat | undefined, now: string): string {
  if (!seat) return t`not in today`
  const { bookable, location, building } = seat
  return `${bookable}, ${location}, ${building}, ${describeSeatTime(seat, now)}`
}

export function describeSeatTime({ from, to, zone, isAssigned, rank }: BookedSeat, now: string): string {
  if (isAssigned) return t`assigned, not booked`
  if (rank > 0)
    return `${formatTimeBeside(from, now, zone)}–${to === null ? '' : formatTimeBeside(to, now, zone)}`
  return to === null ? t`open-ended` : t`until ${formatTimeBeside(to, now, zone)}`
}
