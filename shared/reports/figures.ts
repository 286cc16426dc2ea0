// The column names of the daily figures that reports read. The code that writes the figures and the code that reads
// them share these names.

/**
 * The kinds of period that a row of figures may cover: a day; the sum of a month; or the sum of a year from 1 January
 * to the end of a half month, which begins on the 1st or the 16th. `first_day` is the first day of the day, month or
 * half month.
 */
export const PERIODS = { day: 0, month: 1, yearSoFar: 2 } as const

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/**
 * Figures in minutes, with one column for each hour of the day. Columns are used instead of an array, because Postgres
 * sums columns in a tenth of the time.
 */
type HourFigure = 'booked' | 'available'

export function hourColumn(figure: HourFigure, hour: number): string {
  return `${figure}_${String(hour).padStart(2, '0')}`
}

export function hourColumns(figure: HourFigure): string[] {
  return HOURS.map((hour) => hourColumn(figure, hour))
}

/** SQL for the sum of the hours in a row from `from` up to, but not including, `to`. */
export function hoursSql(figure: HourFigure, from = 0, to = HOURS.length): string {
  return `(${hourColumns(figure).slice(from, to).join(' + ')})`
}

/**
 * The number of days after which the figures of a day are final: changes to bookings on that day no longer affect them.
 * Figures stay when bookings are deleted.
 */
export const FINAL_AFTER_DAYS = 90
