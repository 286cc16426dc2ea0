// A range of days as few rows of figures as there are for it: whole years, whole months, and the days that are left.
import { PERIODS, type Period } from './figures.ts'

// The next one would have a year of five digits.
const LAST_DAY = '9999-12-31'

/** Rows of one period, from a first day to before another. */
export type Span = { period: Period; from: string; before: string }

/** The first and the last day are in it. */
export function spansOf(first: string, last: string): Span[] {
  const before = nextDay(last)
  const [months, monthsBefore] = [startOrNext(first, 'month'), startOf(before, 'month')]
  if (months >= monthsBefore) return [{ period: PERIODS.day, from: first, before }]
  const [years, yearsBefore] = [startOrNext(months, 'year'), startOf(monthsBefore, 'year')]
  const whole: Span[] =
    years >= yearsBefore
      ? [{ period: PERIODS.month, from: months, before: monthsBefore }]
      : [
          { period: PERIODS.month, from: months, before: years },
          { period: PERIODS.year, from: years, before: yearsBefore },
          { period: PERIODS.month, from: yearsBefore, before: monthsBefore },
        ]
  const spans: Span[] = [
    { period: PERIODS.day, from: first, before: months },
    ...whole,
    { period: PERIODS.day, from: monthsBefore, before },
  ]
  return spans.filter((span) => span.from < span.before)
}

/** SQL: whether a row is one of these. The days are written into it, so that Postgres knows how many rows there are. */
export function spansSql(spans: Span[]): string {
  const each = spans.map(
    ({ period, from, before }) =>
      `(period = ${period} AND first_day >= '${from}' AND first_day < '${before}')`,
  )
  return `(${each.join(' OR ')})`
}

type Unit = 'month' | 'year'

function startOf(day: string, unit: Unit): string {
  return unit === 'month' ? `${day.slice(0, 7)}-01` : `${day.slice(0, 4)}-01-01`
}

function startOrNext(day: string, unit: Unit): string {
  const start = startOf(day, unit)
  if (start === day) return day
  const date = new Date(start)
  if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toISOString().slice(0, 10)
}

function nextDay(day: string): string {
  const ms = Math.min(Date.parse(day) + 24 * 3_600_000, Date.parse(LAST_DAY))
  return new Date(ms).toISOString().slice(0, 10)
}
