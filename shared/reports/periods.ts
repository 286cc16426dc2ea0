// Finds the fewest rows of figures that cover the days of a report. The rows are sums of a year so far, sums of months,
// and single days.
import { PERIODS } from './figures.ts'

export type ReportDays = {
  first_day: string
  last_day: string
  /** The last day up to which sums of a year so far exist. They exist for all half months that begin by this day. */
  summed?: string | null | undefined
}

/**
 * The rows of one kind of period whose first day is from `from` to `to`, including both. `sign` is -1 if the rows are
 * to be subtracted.
 */
export type ReportPeriods = { sign: number; period: number; from: string; to: string }

// The number of single days that cost as much as one sum, which has a row for each bookable that was booked at all and
// for each weekday.
const DAYS_PER_SUM = 2

/** Returns the periods that cover the days of a report with the fewest rows. */
export function coverDays({ first_day: first, last_day: last, summed }: ReportDays): ReportPeriods[] {
  const byMonth = coverMonthsAndDays(first, last)
  if (!summed) return byMonth
  const end = addDays(findHalfMonth(summed).next, -1)
  const until = last < end ? last : end
  if (until < first) return byMonth
  const byYear = [
    ...coverYearsSoFar(first, until),
    ...(until < last ? coverMonthsAndDays(addDays(until, 1), last) : []),
  ]
  return countRows(byYear) < countRows(byMonth) ? byYear : byMonth
}

/**
 * Returns the sums of each year up to its end or the last day, minus the days of the first year before the first day.
 */
function coverYearsSoFar(first: string, last: string): ReportPeriods[] {
  const signs = new Map<string, number>()
  const days: ReportPeriods[] = []
  /**
   * Adds all days of the year up to `day`: a sum up to the nearest end of a half month, and the remaining single days.
   */
  const add = (sign: number, day: string) => {
    const half = findHalfMonth(day)
    const [before, after] = [addDays(half.first, -1), addDays(half.next, -1)]
    const nearest =
      toDayNumber(day) - toDayNumber(before) < toDayNumber(after) - toDayNumber(day) ? before : after
    if (getYear(nearest) === getYear(day)) {
      const key = findHalfMonth(nearest).first
      signs.set(key, (signs.get(key) ?? 0) + sign)
    }
    if (nearest < day) days.push({ sign, period: PERIODS.day, from: addDays(nearest, 1), to: day })
    if (nearest > day) days.push({ sign: -sign, period: PERIODS.day, from: addDays(day, 1), to: nearest })
  }
  for (let year = getYear(first); year <= getYear(last); year++)
    add(1, year === getYear(last) ? last : `${String(year).padStart(4, '0')}-12-31`)
  if (!first.endsWith('-01-01')) add(-1, addDays(first, -1))
  const sums = [...signs].filter(([, sign]) => sign !== 0)
  return [...sums.map(([key, sign]) => ({ sign, period: PERIODS.yearSoFar, from: key, to: key })), ...days]
}

function coverMonthsAndDays(first: string, last: string): ReportPeriods[] {
  const day = (from: string, to: string) => (from <= to ? [{ sign: 1, period: PERIODS.day, from, to }] : [])
  const { from, before } = findWholeMonths(first, last)
  if (from >= before) return day(first, last)
  const months = { sign: 1, period: PERIODS.month, from, to: addDays(before, -1) }
  return [...day(first, addDays(from, -1)), months, ...day(before, last)]
}

/**
 * Returns the first day of the first whole month in this period, and the first day of the month after the last whole
 * one.
 */
export function findWholeMonths(first: string, last: string): { from: string; before: string } {
  const monthOf = (day: string) => `${day.slice(0, 7)}-01`
  const from = first.endsWith('-01') ? first : monthOf(addDays(monthOf(first), 31))
  return { from, before: monthOf(addDays(last, 1)) }
}

/** Returns the first day of the half month that includes this day, and the first day of the next half month. */
export function findHalfMonth(day: string): { first: string; next: string } {
  const month = day.slice(0, 8)
  if (day < `${month}16`) return { first: `${month}01`, next: `${month}16` }
  return { first: `${month}16`, next: `${addDays(`${month}16`, 16).slice(0, 8)}01` }
}

function countRows(periods: ReportPeriods[]): number {
  const rows = ({ period, from, to }: ReportPeriods) => {
    const days = toDayNumber(to) - toDayNumber(from) + 1
    if (period === PERIODS.day) return days
    return DAYS_PER_SUM * (period === PERIODS.month ? Math.round(days / 30.4) : 1)
  }
  return periods.reduce((sum, each) => sum + rows(each), 0)
}

const DAY_MS = 24 * 3_600_000
// The last day that reports support. The following day would be in a year with five digits.
const LAST_DAY = '9999-12-31'

const toDayNumber = (day: string): number => Date.parse(day) / DAY_MS
const getYear = (day: string): number => Number(day.slice(0, 4))

export function addDays(day: string, days: number): string {
  const ms = Math.min(Date.parse(day) + days * DAY_MS, Date.parse(LAST_DAY))
  return new Date(ms).toISOString().slice(0, 10)
}
