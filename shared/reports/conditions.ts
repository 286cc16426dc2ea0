// SQL: selects the figures of a report. It contains numbers and days that were validated, because COPY takes
// no parameters.

import { coverDays, type Periods, type ReportDays } from './periods.ts'
import type { Report } from './reports.ts'

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
 * The rows of a table of figures that make up these days: `sign` is -1 for those to subtract. OFFSET keeps Postgres
 * from finding it out again for each column.
 */
export function figuresSql(table: 'location_figures' | 'bookable_figures', days: ReportDays): string {
  const periods = coverDays(days)
  const isOneOf = (list: Periods[]) =>
    list
      .map(({ period, from, to }) => `period = ${period} AND first_day >= '${from}' AND first_day <= '${to}'`)
      .join(' OR ')
  const subtracted = isOneOf(periods.filter(({ sign }) => sign < 0))
  const sign = subtracted ? `CASE WHEN ${subtracted} THEN -1 ELSE 1 END` : '1'
  return `(SELECT ${sign} AS sign, * FROM ${table} WHERE ${isOneOf(periods)} OFFSET 0) AS figures`
}

/** What was booked of each bookable on these days. */
export function bookableSumsSql(days: ReportDays): string {
  return `SELECT bookable_id, sum(sign * minutes) AS minutes, sum(sign * bookings) AS bookings,
      sum(sign * no_shows) AS no_shows
    FROM ${figuresSql('bookable_figures', days)} GROUP BY bookable_id
    HAVING sum(sign * minutes) > 0 OR sum(sign * bookings) > 0`
}
