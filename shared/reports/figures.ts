// The daily figures that reports read: the column names that writers and readers share.

/**
 * The period of a row: a day; the sum of the days of a month; or the sum of a year from 1 January to the end of a
 * half month, which begins on the 1st or the 16th. `first_day` is the first day of the day, month or half month.
 */
export const PERIODS = { day: 0, month: 1, yearSoFar: 2 } as const

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/**
 * Minutes in an hour of the clock. Columns instead of an array, because Postgres adds them up in a tenth of
 * the time.
 */
type HourFigure = 'booked' | 'available'

export function hourColumn(figure: HourFigure, hour: number): string {
  return `${figure}_${String(hour).padStart(2, '0')}`
}

export function hourColumns(figure: HourFigure): string[] {
  return HOURS.map((hour) => hourColumn(figure, hour))
}

/** The sum over the hours of a row from `from` to before `to`. */
export function hoursSql(figure: HourFigure, from = 0, to = HOURS.length): string {
  return `(${hourColumns(figure).slice(from, to).join(' + ')})`
}

/**
 * A change to a booking more than this long after a day does not change the day's figures: they outlive
 * deleted bookings.
 */
export const FINAL_AFTER_DAYS = 90
