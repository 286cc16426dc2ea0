// The daily figures that reports are read from, as those who make them and those who read them name their columns.

/** What a row is about: a day, or the sum of the days of a month or a year. */
export const PERIODS = { day: 0, month: 1, year: 2 } as const
export type Period = (typeof PERIODS)[keyof typeof PERIODS]

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** Minutes of an hour of the clock. Columns and no array: Postgres adds them up in a tenth of the time. */
type HourFigure = 'booked' | 'available'

export function hourColumn(figure: HourFigure, hour: number): string {
  return `${figure}_${String(hour).padStart(2, '0')}`
}

export function hourColumns(figure: HourFigure): string[] {
  return HOURS.map((hour) => hourColumn(figure, hour))
}

/** The sum of some hours of a row, from the first to before the last. */
export function hoursSql(figure: HourFigure, from = 0, to = HOURS.length): string {
  return `(${hourColumns(figure).slice(from, to).join(' + ')})`
}

/** What changes in a booking later than so long after a day changes no figure of it: they outlive bookings that are deleted. */
export const FINAL_AFTER_DAYS = 90
