// The rows of figures that make up the days of a report: sums of a year so far, of months, and days, as few as possible.
import { PERIODS } from './figures.ts'

export type ReportDays = {
  first_day: string
  last_day: string
  /** Sums of a year so far are there, for the half months that begin by this day. */
  summed?: string | null | undefined
}

/** Rows of this period with these first days, the last one included; `sign` is -1 if they are to be subtracted. */
export type Periods = { sign: number; period: number; from: string; to: string }

// A sum has a row for each bookable that was booked at all, and for each weekday.
const DAYS_PER_SUM = 2

/** Chooses the option that takes fewer rows. */
export function coverDays({ first_day: first, last_day: last, summed }: ReportDays): Periods[] {
  const byMonth = monthsAndDays(first, last)
  if (!summed) return byMonth
  const end = addDays(halfMonthAround(summed).next, -1)
  const until = last < end ? last : end
  if (until < first) return byMonth
  const byYear = [
    ...yearsSoFar(first, until),
    ...(until < last ? monthsAndDays(addDays(until, 1), last) : []),
  ]
  return countRows(byYear) < countRows(byMonth) ? byYear : byMonth
}

/** Each year up to its end or the last day, without what is before the first day. */
function yearsSoFar(first: string, last: string): Periods[] {
  const signs = new Map<string, number>()
  const days: Periods[] = []
  /** Adds the days of the year up to `day`: a sum up to the nearest end of a half month, and days. */
  const add = (sign: number, day: string) => {
    const half = halfMonthAround(day)
    const [before, after] = [addDays(half.first, -1), addDays(half.next, -1)]
    const nearest = dayNumber(day) - dayNumber(before) < dayNumber(after) - dayNumber(day) ? before : after
    if (yearOf(nearest) === yearOf(day)) {
      const key = halfMonthAround(nearest).first
      signs.set(key, (signs.get(key) ?? 0) + sign)
    }
    if (nearest < day) days.push({ sign, period: PERIODS.day, from: addDays(nearest, 1), to: day })
    if (nearest > day) days.push({ sign: -sign, period: PERIODS.day, from: addDays(day, 1), to: nearest })
  }
  for (let year = yearOf(first); year <= yearOf(last); year++)
    add(1, year === yearOf(last) ? last : `${String(year).padStart(4, '0')}-12-31`)
  if (!first.endsWith('-01-01')) add(-1, addDays(first, -1))
  const sums = [...signs].filter(([, sign]) => sign !== 0)
  return [...sums.map(([key, sign]) => ({ sign, period: PERIODS.yearSoFar, from: key, to: key })), ...days]
}

function monthsAndDays(first: string, last: string): Periods[] {
  const day = (from: string, to: string) => (from <= to ? [{ sign: 1, period: PERIODS.day, from, to }] : [])
  const { from, before } = wholeMonths(first, last)
  if (from >= before) return day(first, last)
  const months = { sign: 1, period: PERIODS.month, from, to: addDays(before, -1) }
  return [...day(first, addDays(from, -1)), months, ...day(before, last)]
}

/** The first days of the first whole month and of the month after the last one. */
export function wholeMonths(first: string, last: string): { from: string; before: string } {
  const monthOf = (day: string) => `${day.slice(0, 7)}-01`
  const from = first.endsWith('-01') ? first : monthOf(addDays(monthOf(first), 31))
  return { from, before: monthOf(addDays(last, 1)) }
}

/** The first days of the half month that includes this day, and of the next one. */
export function halfMonthAround(day: string): { first: string; next: string } {
  const month = day.slice(0, 8)
  if (day < `${month}16`) return { first: `${month}01`, next: `${month}16` }
  return { first: `${month}16`, next: `${addDays(`${month}16`, 16).slice(0, 8)}01` }
}

function countRows(periods: Periods[]): number {
  const rows = ({ period, from, to }: Periods) => {
    const days = dayNumber(to) - dayNumber(from) + 1
    if (period === PERIODS.day) return days
    return DAYS_PER_SUM * (period === PERIODS.month ? Math.round(days / 30.4) : 1)
  }
  return periods.reduce((sum, each) => sum + rows(each), 0)
}

const DAY_MS = 24 * 3_600_000
// The day after it would be in a year of five digits.
const LAST_DAY = '9999-12-31'

const dayNumber = (day: string): number => Date.parse(day) / DAY_MS
const yearOf = (day: string): number => Number(day.slice(0, 4))

export function addDays(day: string, days: number): string {
  const ms = Math.min(Date.parse(day) + days * DAY_MS, Date.parse(LAST_DAY))
  return new Date(ms).toISOString().slice(0, 10)
}
