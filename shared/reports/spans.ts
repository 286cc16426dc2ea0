// Covers a range of days with as few rows of figures as possible: whole years, whole months, and the days
// that are left.
import { PERIODS, type Period } from './figures.ts'

// The day after it would be in a year of five digits.
const LAST_DAY = '9999-12-31'

/** Rows of one period, from a first day to before another, to be added or subtracted. */
export type Span = { period: Period; from: string; before: string; sign: 1 | -1 }

/**
 * Includes the first and the last day. If less than half of a month or year is missing, it takes the whole
 * period and subtracts what is missing.
 */
export function spansOf(first: string, last: string): Span[] {
  return spansWithin(first, nextDay(last), 'year', 1)
}

function spansWithin(from: string, before: string, unit: Unit | 'day', sign: Span['sign']): Span[] {
  if (from >= before) return []
  if (unit === 'day') return [{ period: PERIODS.day, from, before, sign }]
  const [wholeFrom, wholeBefore] = [startOrNext(from, unit), startOf(before, unit)]
  if (wholeFrom > wholeBefore) return partOf(from, before, unit, sign)
  const whole: Span[] =
    wholeFrom < wholeBefore ? [{ period: PERIODS[unit], from: wholeFrom, before: wholeBefore, sign }] : []
  return [...partOf(from, wholeFrom, unit, sign), ...whole, ...partOf(wholeBefore, before, unit, sign)]
}

/** Part of a single month or year. */
function partOf(from: string, before: string, unit: Unit, sign: Span['sign']): Span[] {
  if (from >= before) return []
  const [start, end] = [startOf(from, unit), startOrNext(nextDay(from), unit)]
  const smaller = unit === 'year' ? 'month' : 'day'
  if (2 * daysBetween(from, before) <= daysBetween(start, end))
    return spansWithin(from, before, smaller, sign)
  const other = sign === 1 ? -1 : 1
  return [
    { period: PERIODS[unit], from: start, before: end, sign },
    ...spansWithin(start, from, smaller, other),
    ...spansWithin(before, end, smaller, other),
  ]
}

/**
 * SQL: whether a row is in one of these spans. The days are literals, so that Postgres can estimate the
 * number of rows.
 */
export function spansSql(spans: Span[]): string {
  const each = spans.map(
    ({ period, from, before }) =>
      `(period = ${period} AND first_day >= '${from}' AND first_day < '${before}')`,
  )
  return `(${each.join(' OR ')})`
}

/** SQL: 1 for a row to add, -1 for one to subtract. */
export function signSql(spans: Span[]): string {
  const taken = spans.filter(({ sign }) => sign === -1)
  return taken.length === 0 ? '1' : `CASE WHEN ${spansSql(taken)} THEN -1 ELSE 1 END`
}

const daysBetween = (from: string, before: string) => Date.parse(before) - Date.parse(from)

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
