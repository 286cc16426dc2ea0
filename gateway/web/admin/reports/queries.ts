// Queries for reports. They add up daily figures, and read as few rows as the date range allows.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { bookableSumsSql, figuresSql, placeSql, weekdaysSql } from '../../../../shared/reports/conditions.ts'
import { HOURS, hourColumn, hoursSql, PERIODS } from '../../../../shared/reports/figures.ts'
import type { ReportDays } from '../../../../shared/reports/periods.ts'
import type { Report as ReportOptions } from '../../../../shared/reports/reports.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import {
  columnsSql,
  flagColumn,
  numberColumn,
  PLACE_COLUMNS,
  type RowOf,
  textColumn,
} from '../../../reads/rows/rows.ts'
import type { DayRange } from './ranges.ts'

/**
 * Figures of a period: the minutes that could be booked, the minutes booked, and more. Home offices are never full, so
 * they have only bookings.
 */
export type ReportFigures = { available: number; booked: number; bookings: number; noShows: number }
const FLOOR_COLUMNS = {
  ...PLACE_COLUMNS,
  type: numberColumn('type'),
  weekday: numberColumn('weekday'),
  available: numberColumn('available'),
  booked: numberColumn('booked'),
  bookings: numberColumn('bookings'),
  noShows: numberColumn('no_shows'),
}
export type FloorFigures = RowOf<typeof FLOOR_COLUMNS>
export type HourFigures = Pick<ReportFigures, 'available' | 'booked'>
const RANKED_BOOKABLE_COLUMNS = {
  bookableId: numberColumn('ranked.id'),
  bookable: textColumn('ranked.name'),
  isDeleted: flagColumn('deleted_at IS NOT NULL'),
  ...PLACE_COLUMNS,
  minutes: numberColumn('minutes'),
  bookings: numberColumn('bookings'),
  noShows: numberColumn('no_shows'),
}
export type BookableFigures = RowOf<typeof RANKED_BOOKABLE_COLUMNS>

const RANKED_BOOKABLES_MAX = 10

type Report = ReportOptions & ReportDays

// Numbers the buildings in the order of their names, because comparing the names of a thousand rows takes
// longer than adding the rows up.
const NUMBERED_BUILDINGS = `(
      SELECT *, row_number() OVER (ORDER BY ${naturalSql('name')}, id) AS ordinal FROM buildings
    ) AS buildings`

/** Lists figures by floor, type and weekday, for the hours of the report. */
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
    SELECT ${columnsSql(FLOOR_COLUMNS)}
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
  const sums = getOnlyRow(rows)
  return HOURS.map((hour) => ({
    available: sums[hourColumn('available', hour)] ?? 0,
    booked: sums[hourColumn('booked', hour)] ?? 0,
  }))
}

/** Lists the most and the least booked bookables. The least booked ones exclude deleted bookables and
 * bookables that only some users may book. */
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
      (SELECT *, false AS "isIdle" FROM every WHERE minutes > 0 ORDER BY minutes DESC, id LIMIT ${RANKED_BOOKABLES_MAX})
      UNION ALL
      (SELECT *, true FROM every
       WHERE deleted_at IS NULL AND status = ${BOOKABLE_STATUSES.flexible}
         AND (minutes > 0 OR coalesce(created_at, '-infinity') < '${report.last_day}'::date)
       ORDER BY minutes, id LIMIT ${RANKED_BOOKABLES_MAX})
    )
    SELECT ${columnsSql(RANKED_BOOKABLE_COLUMNS)}, "isIdle"
    FROM ranked
    JOIN locations ON locations.id = ranked.location_id
    JOIN buildings ON buildings.id = ranked.building_id
    ORDER BY "isIdle", CASE WHEN "isIdle" THEN minutes ELSE -minutes END, ranked.id`)
  return { busiest: rows.filter(({ isIdle }) => !isIdle), idlest: rows.filter(({ isIdle }) => isIdle) }
}

/** Finds the last day with complete figures (null if there is none yet), and the last day that is included in
 * the sums by year (null if upkeep has not calculated these sums yet). */
export async function findLastCountedDays(reads: pg.Pool, buildingId: number | undefined) {
  const { rows } = await reads.query<{ lastDay: string | null; summed: string | null }>(
    `SELECT to_char(min(last_day), 'YYYY-MM-DD') AS "lastDay",
       to_char(min(least(unsummed_since - 16, last_day)), 'YYYY-MM-DD') AS summed
     FROM figured_locations JOIN locations ON locations.id = location_id
     WHERE $1::bigint IS NULL OR building_id = $1`,
    [buildingId ?? null],
  )
  return getOnlyRow(rows)
}

/** Returns whether anything could be booked on any of these days. */
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
