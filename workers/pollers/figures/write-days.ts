// Computes the figures of some days and locations from their bookings, and the sums of their months, and replaces the
// previous figures. Days follow the building's local time, so a day on which the clocks change has 23 or 25 hours. The
// caller's transaction must hold the locks of these locations.

import { claimsOfBookableSql } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { HOURS, hourColumns, PERIODS } from '../../../shared/reports/figures.ts'
import { startOfDaySql } from '../../../shared/schemas/days.ts'
import type { Transaction } from '../../runtime/write.ts'

/** SQL for the days to compute, from JSON rows with `location_id`, `timezone`, `first_day` and `last_day`. No
 * day of a location may be in two rows. */
const DUE_SQL = `due AS (
    SELECT * FROM json_to_recordset(CAST(:due AS json))
      AS due (location_id bigint, timezone text, first_day date, last_day date)
  )`

// SQL for the hours of each day. A day of 24 hours is counted by the hour. On any other day, an hour may be
// missing, halved or doubled, so each quarter of an hour counts towards the hour that the clocks show.
const DAYS_SQL = `
  ${DUE_SQL}, due_days AS MATERIALIZED (
    SELECT location_id, timezone, day, ${startOfDaySql('day', 'timezone')} AS starts,
      ${startOfDaySql('(day + 1)', 'timezone')} AS ends
    FROM (
      SELECT location_id, timezone, series::date AS day
      FROM due, generate_series(first_day::timestamp, last_day::timestamp, '1 day') AS series
    ) AS each
  ), pieces AS MATERIALIZED (
    SELECT timezone, day, extract(hour FROM piece AT TIME ZONE timezone)::int AS hour,
      piece AS starts, least(piece + step, ends) AS ends
    FROM (
      SELECT *, CASE WHEN ends - starts = interval '24 hours' THEN interval '1 hour' ELSE interval '15 minutes' END AS step
      FROM (SELECT DISTINCT timezone, day, starts, ends FROM due_days WHERE starts < ends) AS days
    ) AS stepped, generate_series(starts, ends - interval '1 microsecond', step) AS piece
  ), spans AS MATERIALIZED (
    SELECT location_id, min(starts) AS starts, max(ends) AS ends FROM due_days GROUP BY location_id
  )`

const HOUR_SHARES_SQL = `
  own_bookables AS MATERIALIZED (
    SELECT bookables.id, bookables.location_id, type, created_at, deleted_at, spans.starts AS span_starts, spans.ends AS span_ends
    FROM spans JOIN bookables ON bookables.location_id = spans.location_id
  ), claims AS MATERIALIZED (
    SELECT own.location_id, own.type, own.id AS bookable_id, found.exclusive,
      found.released_at IS NOT NULL AS is_no_show, lower(found.during) AS starts,
      coalesce(upper(found.during), 'infinity') AS ends
    FROM own_bookables AS own
    CROSS JOIN LATERAL (${claimsOfBookableSql('own.id', 'own.span_starts', 'own.span_ends')}) AS found
    WHERE found.hold_id IS NULL
  ), shares AS MATERIALIZED (
    SELECT claims.location_id, type, bookable_id, exclusive, is_no_show, timezone, day,
      claims.starts >= due_days.starts AS begins,
      greatest(claims.starts, due_days.starts) AS starts, least(claims.ends, due_days.ends) AS ends
    FROM claims JOIN due_days ON due_days.location_id = claims.location_id
      AND claims.starts < due_days.ends AND claims.ends > due_days.starts
  )`

const minutesSql = (starts: string, ends: string) =>
  `round(sum(extract(epoch FROM ${ends} - ${starts})) / 60)::int`
const COUNTS_SQL = 'count(*) FILTER (WHERE begins)::int, count(*) FILTER (WHERE begins AND is_no_show)::int'
const pivotSql = (value: string) =>
  HOURS.map((hour) => `coalesce(max(${value}) FILTER (WHERE hour = ${hour}), 0)`).join(', ')
const listedSql = (row: string, figure: 'booked' | 'available') =>
  hourColumns(figure)
    .map((column) => `coalesce(${row}.${column}, 0)`)
    .join(', ')

const { homeOffice } = BOOKABLE_TYPES

/**
 * SQL that inserts the figures of locations. A bookable counts for the whole of each day on which it existed or was
 * booked. A bookable without a creation date is older than that column, and counts from the first day of its location's
 * figures. Home offices have no limited capacity: their bookings count, but they add no available or taken time.
 */
const INSERT_LOCATION_DAYS_SQL = `
  WITH ${DAYS_SQL}, ${HOUR_SHARES_SQL}, present AS (
    SELECT due_days.location_id, due_days.timezone, due_days.day, type,
      count(*) FILTER (WHERE type <> ${homeOffice})::int AS number
    FROM due_days JOIN own_bookables AS own ON own.location_id = due_days.location_id
    LEFT JOIN (SELECT DISTINCT bookable_id, day FROM shares) AS used ON used.bookable_id = own.id AND used.day = due_days.day
    WHERE used.day IS NOT NULL OR (starts < ends AND coalesce(created_at, '-infinity') < ends AND coalesce(deleted_at, 'infinity') > starts)
    GROUP BY due_days.location_id, due_days.timezone, due_days.day, type
  ), numbers (location_id, day, type, bookings, no_shows) AS (
    SELECT location_id, day, type, ${COUNTS_SQL} FROM shares GROUP BY location_id, day, type
  ), hourly AS (
    SELECT location_id, day, type, hour, ${minutesSql('greatest(shares.starts, pieces.starts)', 'least(shares.ends, pieces.ends)')} AS minutes
    FROM shares JOIN pieces USING (timezone, day)
    WHERE exclusive AND pieces.starts < shares.ends AND pieces.ends > shares.starts
    GROUP BY location_id, day, type, hour
  ), booked (location_id, day, type, ${hourColumns('booked').join(', ')}) AS (
    SELECT location_id, day, type, ${pivotSql('minutes')} FROM hourly GROUP BY location_id, day, type
  ), hour_lengths AS (
    SELECT timezone, day, hour, ${minutesSql('starts', 'ends')} AS minutes FROM pieces GROUP BY timezone, day, hour
  ), lengths (timezone, day, ${hourColumns('available').join(', ')}) AS (
    SELECT timezone, day, ${pivotSql('minutes')} FROM hour_lengths GROUP BY timezone, day
  )
  INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows,
    ${hourColumns('booked').join(', ')}, ${hourColumns('available').join(', ')})
  SELECT ${PERIODS.day}, day, location_id, type, extract(isodow FROM day)::int,
    coalesce(bookings, 0), coalesce(no_shows, 0), ${listedSql('booked', 'booked')},
    ${hourColumns('available')
      .map((column) => `number * lengths.${column}`)
      .join(', ')}
  FROM present
  JOIN lengths USING (timezone, day)
  LEFT JOIN numbers USING (location_id, day, type)
  LEFT JOIN booked USING (location_id, day, type)`

/** SQL that inserts the figures of bookables. Only bookables that were booked on a day have a row for that day. */
const INSERT_BOOKABLE_DAYS_SQL = `
  WITH ${DAYS_SQL}, ${HOUR_SHARES_SQL}
  INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
  SELECT ${PERIODS.day}, day, bookable_id, ${minutesSql('starts', 'ends')}, ${COUNTS_SQL}
  FROM shares WHERE exclusive GROUP BY day, bookable_id
  ON CONFLICT (period, first_day, bookable_id) DO UPDATE
  SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`

/** The days of one location to compute, from the first to the last, including both. Days are in the local
 * time of this zone. */
export type DueReportDays = { location_id: number; timezone: string; first_day: string; last_day: string }

export async function writeDailyFigures(trx: Transaction, days: DueReportDays[]): Promise<void> {
  const due = JSON.stringify(days)
  for (const statement of [...REPLACE_DAYS_STATEMENTS, ...REPLACE_MONTHS_STATEMENTS])
    await trx.raw(statement, { due })
}

const REPLACE_DAYS_STATEMENTS = [
  `WITH ${DUE_SQL} DELETE FROM location_figures AS figures USING due
   WHERE figures.period = ${PERIODS.day} AND figures.location_id = due.location_id
     AND figures.first_day >= due.first_day AND figures.first_day <= due.last_day`,
  INSERT_LOCATION_DAYS_SQL,
  `WITH ${DUE_SQL} DELETE FROM bookable_figures AS figures USING due, bookables
   WHERE bookables.location_id = due.location_id
     AND figures.period = ${PERIODS.day} AND figures.bookable_id = bookables.id
     AND figures.first_day >= due.first_day AND figures.first_day <= due.last_day`,
  INSERT_BOOKABLE_DAYS_SQL,
]

const MONTHS_SQL = `WITH ${DUE_SQL}, months AS MATERIALIZED (
    SELECT DISTINCT location_id, date_trunc('month', day)::date AS month,
      (date_trunc('month', day) + interval '1 month')::date AS next_month
    FROM due, generate_series(first_day::timestamp, last_day::timestamp, '1 day') AS day
  )`
const IS_DAY_OF_MONTH = `figures.period = ${PERIODS.day} AND figures.first_day >= month AND figures.first_day < next_month`
const ALL_HOUR_COLUMNS = [...hourColumns('booked'), ...hourColumns('available')]

const REPLACE_MONTHS_STATEMENTS = [
  `${MONTHS_SQL} DELETE FROM location_figures AS figures USING months
   WHERE figures.period = ${PERIODS.month} AND figures.first_day = month AND figures.location_id = months.location_id`,
  `${MONTHS_SQL}
   INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${ALL_HOUR_COLUMNS.join(', ')})
   SELECT ${PERIODS.month}, month, figures.location_id, type, weekday, sum(bookings), sum(no_shows),
     ${ALL_HOUR_COLUMNS.map((column) => `sum(${column})`).join(', ')}
   FROM months JOIN location_figures AS figures ON ${IS_DAY_OF_MONTH} AND figures.location_id = months.location_id
   GROUP BY month, figures.location_id, type, weekday`,
  `${MONTHS_SQL} DELETE FROM bookable_figures AS figures USING months, bookables
   WHERE bookables.location_id = months.location_id
     AND figures.period = ${PERIODS.month} AND figures.first_day = month AND figures.bookable_id = bookables.id`,
  `${MONTHS_SQL}
   INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
   SELECT ${PERIODS.month}, month, figures.bookable_id, sum(minutes), sum(bookings), sum(no_shows)
   FROM months JOIN bookables ON bookables.location_id = months.location_id
   JOIN bookable_figures AS figures ON ${IS_DAY_OF_MONTH} AND figures.bookable_id = bookables.id
   GROUP BY month, figures.bookable_id
   ON CONFLICT (period, first_day, bookable_id) DO UPDATE
   SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`,
]
