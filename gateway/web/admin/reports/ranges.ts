// The days of a report: last week, month, quarter or year, or any first and last day. A range ends yesterday
// at the latest: a day has figures when it is over.
import { plural, sentence, t } from '../../locales/translate.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { choices } from '../../pages/ui/fields.ts'

export const RANGES = choices(
  ['last-week', sentence`Last week`],
  ['last-month', sentence`Last month`],
  ['last-quarter', sentence`Last quarter`],
  ['last-year', sentence`Last year`],
)
type RangeName = (typeof RANGES.values)[number]

export type DayRange = { first: string; last: string }

type RangeQuery = { range: RangeName; from?: string | undefined; to?: string | undefined }

/** Undefined if none of these days is over. Explicit days take precedence over the named range. */
export function rangeOf({ range, from, to }: RangeQuery, today: string): DayRange | undefined {
  const named = namedRange(range, today)
  const yesterday = addDaysToDate(today, -1)
  const first = from ?? (to !== undefined && to < named.first ? to : named.first)
  const asLast = to ?? (from !== undefined && from > named.last ? yesterday : named.last)
  // Users who choose a later first day often leave the last day unchanged.
  const last = asLast < first ? first : asLast
  if (first > yesterday) return undefined
  return { first, last: last > yesterday ? yesterday : last }
}

/** The earlier days to compare a range with, and their name: “in the week before”. Undefined if there are none. */
export function rangeBefore({ range, from, to }: RangeQuery, { first, last }: DayRange) {
  if (from === undefined && to === undefined) return { ...namedRange(range, first), words: WORDS[range]() }
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
  // A Monday is compared with a Monday.
  const back = -Math.max(days, WEEK)
  if (Date.parse(first) + back * DAY_MS < Date.parse(FIRST_DATE)) return undefined
  const words =
    days < WEEK
      ? t`on the same days a week before`
      : plural(days, 'in the # day before', 'in the # days before')
  return { first: addDaysToDate(first, back), last: addDaysToDate(last, back), words }
}

const DAY_MS = 24 * 3_600_000
const WEEK = 7
const FIRST_DATE = '0001-01-01'
const WORDS: Record<RangeName, () => string> = {
  'last-week': () => t`in the week before`,
  'last-month': () => t`in the month before`,
  'last-quarter': () => t`in the quarter before`,
  'last-year': () => t`in the year before`,
}

/** Weeks begin on Monday. */
export function namedRange(name: RangeName, today: string): DayRange {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (name === 'last-week') {
    const monday = addDaysToDate(today, -((date.getUTCDay() + 6) % 7))
    return { first: addDaysToDate(monday, -7), last: addDaysToDate(monday, -1) }
  }
  if (name === 'last-month') return months(year, month - 1, 1)
  if (name === 'last-quarter') return months(year, Math.floor(month / 3) * 3 - 3, 3)
  return months(year - 1, 0, 12)
}

// Date.UTC counts a month before January as one of the year before.
function months(year: number, month: number, count: number): DayRange {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { first: day(Date.UTC(year, month, 1)), last: day(Date.UTC(year, month + count, 0)) }
}
