// The period of a report: last week, month, quarter or year, or any first and last day. The period ends
// yesterday at the latest, because a day has figures only when it is over.
import { plural, sentence, t } from '../../locales/translate.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { choices } from '../../pages/ui/fields.ts'

export const REPORT_RANGE_CHOICES = choices(
  ['last-week', sentence`Last week`],
  ['last-month', sentence`Last month`],
  ['last-quarter', sentence`Last quarter`],
  ['last-year', sentence`Last year`],
)
type RangeName = (typeof REPORT_RANGE_CHOICES.values)[number]

export type DayRange = { first: string; last: string }

type RangeQuery = { range: RangeName; from?: string | undefined; to?: string | undefined }

/** Returns the requested date range. Returns undefined if none of its days is over. Explicit days take
 * precedence over a named range. */
export function findReportDays({ range, from, to }: RangeQuery, today: string): DayRange | undefined {
  const named = resolveNamedRange(range, today)
  const yesterday = addDaysToDate(today, -1)
  const first = from ?? (to !== undefined && to < named.first ? to : named.first)
  const asLast = to ?? (from !== undefined && from > named.last ? yesterday : named.last)
  // Corrects the last day: users who choose a later first day often leave it unchanged.
  const last = asLast < first ? first : asLast
  if (first > yesterday) return undefined
  return { first, last: last > yesterday ? yesterday : last }
}

/** Returns the earlier period to compare a range with, and its name, such as “in the week before”. Returns
 * undefined if there is no such period. */
export function findEarlierReportDays({ range, from, to }: RangeQuery, { first, last }: DayRange) {
  if (from === undefined && to === undefined)
    return { ...resolveNamedRange(range, first), words: EARLIER_PERIOD_WORDS[range]() }
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
  // Goes back a whole number of weeks, so that a Monday is compared with a Monday.
  const back = -Math.max(days, WEEK_DAYS)
  if (Date.parse(first) + back * DAY_MS < Date.parse(FIRST_DATE)) return undefined
  const words =
    days < WEEK_DAYS
      ? t`on the same days a week earlier`
      : plural(days, 'in the # day before', 'in the # days before')
  return { first: addDaysToDate(first, back), last: addDaysToDate(last, back), words }
}

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const FIRST_DATE = '0001-01-01'
const EARLIER_PERIOD_WORDS: Record<RangeName, () => string> = {
  'last-week': () => t`in the week before`,
  'last-month': () => t`in the month before`,
  'last-quarter': () => t`in the quarter before`,
  'last-year': () => t`in the year before`,
}

/** Returns the days of a named range. Weeks begin on Monday. */
export function resolveNamedRange(name: RangeName, today: string): DayRange {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (name === 'last-week') {
    const monday = addDaysToDate(today, -((date.getUTCDay() + 6) % 7))
    return { first: addDaysToDate(monday, -7), last: addDaysToDate(monday, -1) }
  }
  if (name === 'last-month') return findMonths(year, month - 1, 1)
  if (name === 'last-quarter') return findMonths(year, Math.floor(month / 3) * 3 - 3, 3)
  return findMonths(year - 1, 0, 12)
}

// Date.UTC accepts a month before January, and counts it as one of the previous year.
function findMonths(year: number, month: number, count: number): DayRange {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { first: day(Date.UTC(year, month, 1)), last: day(Date.UTC(year, month + count, 0)) }
}
