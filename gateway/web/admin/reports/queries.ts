// Queries for reports: sums of daily figures, from as few rows as the range of days allows.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { bookableSumsSql, figuresSql, placeSql, weekdaysSql } from '../../../../shared/reports/conditions.ts'
import { HOURS, hourColumn, hoursSql, PERIODS } from '../../../../shared/reports/figures.ts'
import type { ReportDays } from '../../../../shared/reports/periods.ts'
import type { Report as ReportOptions } from '../../../../shared/reports/reports.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { columnsSql, flag, number, PLACE, type RowOf, text } from '../../../reads/rows/rows.ts'
import type { DayRange } from './ranges.ts'

/** The minutes that could be booked and the minutes booked. Home offices are never full, so they have only bookings. */
export type Figures = { available: number; booked: number; bookings: number; noShows: number }
const FLOOR = {
  ...PLACE,
  type: number('type'),
  weekday: number('weekday'),
  available: number('available'),
  booked: number('booked'),
  bookings: number('bookings'),
  noShows: number('no_shows'),
}
export type FloorFigures = RowOf<typeof FLOOR>
export type HourFigures = Pick<Figures, 'available' | 'booked'>
const RANKED_BOOKABLE = {
  bookableId: number('ranked.id'),
  bookable: text('ranked.name'),
  isDeleted: flag('deleted_at IS NOT NULL'),
  ...PLACE,
  minutes: number('minutes'),
  bookings: number('bookings'),
  noShows: number('no_shows'),
}
export type BookableFigures = RowOf<typeof RANKED_BOOKABLE>

const RANKED = 10

type Report = ReportOptions & ReportDays

// Comparing the names of a thousand rows takes longer than adding them up.
const NUMBERED_BUILDINGS = `(
      SELECT *, row_number() OVER (ORDER BY ${naturalSql('name')}, id) AS ordinal FROM buildings
    ) AS buildings`

/** Figures by floor, type and weekday, in the report's hours. */
export async function listFloorFigures(reads: pg.Pool, report: Report): Promise<FloorFigures[]> {
  const { rows } = await reads.query<FloorFigures>(`
    WITH sums AS MATERIALIZED (
      SELECT location_id, type, weekday::int,
        sum(sign * ${hoursSql('available', report.from_hour, report.to_hour)}) AS available,
        sum(sign * ${hoursSql('booked', report.from_hour, report.to_hour)}) AS booked,
        sum(sign * bookings) AS bookings, sum(sign * no_shows) AS no_shows
      FROM ${figuresSql('location_figures', report)}
      GROUP BY location_id, type, weekday
    )
    SELECT ${columnsSql(FLOOR)}
    FROM sums
    JOIN locations ON locations.id = location_id
    JOIN ${NUMBERED_BUILDINGS} ON buildings.id = building_id
    WHERE (available > 0 OR bookings > 0) AND ${placeSql(report)}
    ORDER BY buildings.ordinal, locations.id, type, weekday`)
  return rows
}

export async function listHourFigures(reads: pg.Pool, report: Report): Promise<HourFigures[]> {
  const columns = HOURS.flatMap((hour) => [hourColumn('available', hour), hourColumn('booked', hour)])
  const { rows } = await reads.query<Record<string, number>>(`
    SELECT ${columns.map((column) => `coalesce(sum(sign * ${column}), 0) AS ${column}`).join(', ')}
    FROM ${figuresSql('location_figures', report)} JOIN locations ON locations.id = location_id
    WHERE ${placeSql(report)} AND ${weekdaysSql(report)}`)
  const sums = onlyRow(rows)
  return HOURS.map((hour) => ({
    available: sums[hourColumn('available', hour)] ?? 0,
    booked: sums[hourColumn('booked', hour)] ?? 0,
  }))
}

/** Those booked least leave out deleted bookables and those that only some users may book. */
export async function rankBookables(reads: pg.Pool, report: Report) {
  const { rows } = await reads.query<BookableFigures & { isIdle: boolean }>(`
    WITH sums AS MATERIALIZED (
      ${bookableSumsSql(report)}
    ), every AS MATERIALIZED (
      SELECT bookables.id, bookables.name, location_id, building_id, deleted_at, status, created_at,
        coalesce(minutes, 0) AS minutes, coalesce(bookings, 0) AS bookings, coalesce(no_shows, 0) AS no_shows
      FROM bookables JOIN locations ON locations.id = location_id LEFT JOIN sums ON bookable_id = bookables.id
      WHERE type <> ${BOOKABLE_TYPES.homeOffice} AND ${placeSql(report)}
    ), ranked AS (
      (SELECT *, false AS "isIdle" FROM every WHERE minutes > 0 ORDER BY minutes DESC, id LIMIT ${RANKED})
      UNION ALL
      (SELECT *, true FROM every
       WHERE deleted_at IS NULL AND status = ${BOOKABLE_STATUSES.flexible}
         AND (minutes > 0 OR coalesce(created_at, '-infinity') < '${report.last_day}'::date)
       ORDER BY minutes, id LIMIT ${RANKED})
    )
    SELECT ${columnsSql(RANKED_BOOKABLE)}, "isIdle"
    FROM ranked
    JOIN locations ON locations.id = ranked.location_id
    JOIN buildings ON buildings.id = ranked.building_id
    ORDER BY "isIdle", CASE WHEN "isIdle" THEN minutes ELSE -minutes END, ranked.id`)
  return { busiest: rows.filter(({ isIdle }) => !isIdle), idlest: rows.filter(({ isIdle }) => isIdle) }
}

/**
 * The last day with complete figures, null if there is none yet; and the last day of sums of a year so far, null if
 * upkeep has yet to add them up. Half a month before a change, each half month has ended.
 */
export async function findCounted(reads: pg.Pool, buildingId: number | undefined) {
  const { rows } = await reads.query<{ lastDay: string | null; summed: string | null }>(
    `SELECT to_char(min(last_day), 'YYYY-MM-DD') AS "lastDay",
       to_char(min(least(unsummed_since - 16, last_day)), 'YYYY-MM-DD') AS summed
     FROM figured_locations JOIN locations ON locations.id = location_id
     WHERE $1::bigint IS NULL OR building_id = $1`,
    [buildingId ?? null],
  )
  return onlyRow(rows)
}

/** Whether anything could be booked on any of these days. */
export async function hasFigures(
  reads: pg.Pool,
  { first, last }: DayRange,
  buildingId: number | undefined,
): Promise<boolean> {
  const { rowCount } = await reads.query(
    `SELECT FROM location_figures JOIN locations ON locations.id = location_id
     WHERE period = ${PERIODS.day} AND first_day BETWEEN $1 AND $2 AND ($3::bigint IS NULL OR building_id = $3)
       AND (${hoursSql('available', 0, 24)} > 0 OR bookings > 0)
     LIMIT 1`,
    [first, last, buildingId ?? null],
  )
  return rowCount === 1
}
