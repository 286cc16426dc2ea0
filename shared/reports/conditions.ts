// SQL: selects the figures of a report. It contains numbers and days that were validated, because COPY takes
// no parameters.
import type { Report } from './reports.ts'
import { signSql, spansOf, spansSql } from './spans.ts'

const LAST_WEEKDAY = 5

/** For rows with a location's building and a type. */
export function placeSql({ building_id, type }: Pick<Report, 'building_id' | 'type'>): string {
  const conditions = [
    ...(building_id === undefined ? [] : [`building_id = ${building_id}`]),
    ...(type === undefined ? [] : [`type = ${type}`]),
  ]
  return conditions.join(' AND ') || 'true'
}

export function weekdaysSql({ weekdays_only }: Pick<Report, 'weekdays_only'>): string {
  return weekdays_only ? `weekday <= ${LAST_WEEKDAY}` : 'true'
}

/**
 * The rows of a table of figures that make up the days of a report, each with its `sign`; in a subquery of
 * its own, so that the sign is computed once.
 */
export function signedRowsSql(table: string, { first_day, last_day }: Report): string {
  const spans = spansOf(first_day, last_day)
  return `(SELECT *, ${signSql(spans)} AS sign FROM ${table} WHERE ${spansSql(spans)} OFFSET 0) AS figures`
}

/** What was booked of each bookable on these days. */
export function bookableSumsSql(report: Report): string {
  return `SELECT bookable_id, sum(sign * minutes) AS minutes, sum(sign * bookings) AS bookings, sum(sign * no_shows) AS no_shows
    FROM ${signedRowsSql('bookable_figures', report)} GROUP BY bookable_id
    HAVING sum(sign * minutes) > 0 OR sum(sign * bookings) > 0`
}
