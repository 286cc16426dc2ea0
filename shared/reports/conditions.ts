// SQL that selects the figures of a report. Contains validated numbers and days as literals, because COPY takes no
// parameters.

import { coverDays, type ReportDays, type ReportPeriods } from './periods.ts'
import type { Report } from './reports.ts'

const LAST_WORKDAY = 5

/** SQL condition that the row belongs to the building and the type of the report. */
export function placeSql({ building_id, type }: Pick<Report, 'building_id' | 'type'>): string {
  const conditions = [
    ...(building_id === undefined ? [] : [`building_id = ${building_id}`]),
    ...(type === undefined ? [] : [`type = ${type}`]),
  ]
  return conditions.join(' AND ') || 'true'
}

export function weekdaysSql({ weekdays_only }: Pick<Report, 'weekdays_only'>): string {
  return weekdays_only ? `weekday <= ${LAST_WORKDAY}` : 'true'
}

/** SQL for the rows in a table of figures that cover these days. Rows to subtract have the `sign` -1. Because
 * of OFFSET, Postgres does not compute the rows again for each column. */
export function figuresSql(table: 'location_figures' | 'bookable_figures', days: ReportDays): string {
  const periods = coverDays(days)
  const isOneOf = (list: ReportPeriods[]) =>
    list
      .map(({ period, from, to }) => `period = ${period} AND first_day >= '${from}' AND first_day <= '${to}'`)
      .join(' OR ')
  const subtracted = isOneOf(periods.filter(({ sign }) => sign < 0))
  const sign = subtracted ? `CASE WHEN ${subtracted} THEN -1 ELSE 1 END` : '1'
  return `(SELECT ${sign} AS sign, * FROM ${table} WHERE ${isOneOf(periods)} OFFSET 0) AS figures`
}

/** SQL for the bookings of each bookable on these days. */
export function bookableSumsSql(days: ReportDays): string {
  return `SELECT bookable_id, sum(sign * minutes) AS minutes, sum(sign * bookings) AS bookings,
      sum(sign * no_shows) AS no_shows
    FROM ${figuresSql('bookable_figures', days)} GROUP BY bookable_id
    HAVING sum(sign * minutes) > 0 OR sum(sign * bookings) > 0`
}
