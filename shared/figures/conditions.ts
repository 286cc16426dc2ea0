// SQL: which figures a report is about. What stands in it are numbers and days that were validated: COPY takes no parameters.
import type { Report } from '../contracts/administrators/reports.ts'
import { signSql, spansOf, spansSql } from './spans.ts'

const LAST_WEEKDAY = 5

/** For what has a location's building and a type. */
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

/** The rows of a table of figures that make up the days of a report, each with its `sign`; apart, so that it is found once. */
export function signedRowsSql(table: string, { first_day, last_day }: Report): string {
  const spans = spansOf(first_day, last_day)
  return `(SELECT *, ${signSql(spans)} AS sign FROM ${table} WHERE ${spansSql(spans)} OFFSET 0) AS figures`
}

/** What was booked of each bookable in these days. */
export function bookableSumsSql(report: Report): string {
  return `SELECT bookable_id, sum(sign * minutes) AS minutes, sum(sign * bookings) AS bookings, sum(sign * no_shows) AS no_shows
    FROM ${signedRowsSql('bookable_figures', report)} GROUP BY bookable_id
    HAVING sum(sign * minutes) > 0 OR sum(sign * bookings) > 0`
}
