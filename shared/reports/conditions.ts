// SQL: selects the figures of a report. It contains numbers and days that were validated, because COPY takes
// no parameters.

import { PERIODS } from './figures.ts'
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

/** Rows of figures that make up these days: whole months, and the days that are left. */
export function periodsSql({
  first_day: first,
  last_day: last,
}: Pick<Report, 'first_day' | 'last_day'>): string {
  const { from, before } = wholeMonths(first, last)
  const days = `period = ${PERIODS.day} AND first_day >= '${first}' AND first_day <= '${last}'`
  if (from >= before) return days
  return `(period = ${PERIODS.month} AND first_day >= '${from}' AND first_day < '${before}'
    OR ${days} AND (first_day < '${from}' OR first_day >= '${before}'))`
}

// The day after it would be in a year of five digits.
const LAST_DAY = '9999-12-31'

/** The first days of the first whole month and of the month after the last one. */
export function wholeMonths(first: string, last: string): { from: string; before: string } {
  const next = (day: string, days: number) => {
    const ms = Math.min(Date.parse(day) + days * 24 * 3_600_000, Date.parse(LAST_DAY))
    return new Date(ms).toISOString().slice(0, 10)
  }
  const monthOf = (day: string) => `${day.slice(0, 7)}-01`
  const from = first.endsWith('-01') ? first : monthOf(next(monthOf(first), 31))
  return { from, before: monthOf(next(last, 1)) }
}

/** What was booked of each bookable on these days. */
export function bookableSumsSql(report: Report): string {
  return `SELECT bookable_id, sum(minutes) AS minutes, sum(bookings) AS bookings, sum(no_shows) AS no_shows
    FROM bookable_figures WHERE ${periodsSql(report)} GROUP BY bookable_id
    HAVING sum(minutes) > 0 OR sum(bookings) > 0`
}
