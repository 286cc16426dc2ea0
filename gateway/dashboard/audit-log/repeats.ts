// Formats how often a series of bookings repeats.
import { currentLocale, plural, t } from '../locales/translate.ts'
import { formatDate } from '../time/dates.ts'
import { formatList } from '../ui/words.ts'
import { fieldsOf } from './paths.ts'
import { numbersOf } from './things.ts'

/** “every 2 weeks on Mon and Wed until 31 March 2031”. */
export function formatRepeat(repeat: unknown): string | undefined {
  const { every, interval = 1, on, until, count } = fieldsOf(repeat)
  if ((every !== 'day' && every !== 'week') || typeof interval !== 'number') return undefined
  const often = every === 'day' ? formatDays(interval) : formatWeeks(interval, on)
  if (typeof until === 'string') return t`${often} until ${formatDate(until, 'long')}`
  return typeof count === 'number' ? plural(count, '{0}, # time', '{0}, # times', often) : often
}

const formatDays = (interval: number) =>
  interval === 1 ? t`every day` : plural(interval, 'every # day', 'every # days')

function formatWeeks(interval: number, on: unknown): string {
  const days = formatList(numbersOf(on).map(formatWeekday))
  if (days === '') return interval === 1 ? t`every week` : plural(interval, 'every # week', 'every # weeks')
  return interval === 1
    ? t`every week on ${days}`
    : plural(interval, 'every # week on {0}', 'every # weeks on {0}', days)
}

/** 1 is Monday. */
function formatWeekday(day: unknown): string {
  const monday = Date.UTC(2024, 0, 1)
  const date = new Date(monday + (Number(day) - 1) * 24 * 3_600_000)
  return date.toLocaleDateString(currentLocale(), { weekday: 'short', timeZone: 'UTC' })
}
