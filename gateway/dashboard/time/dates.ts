// Calendar days, `2026-11-20`, which have no time zone: calculations and formats.
import { currentLocale } from '../locales/translate.ts'

const DAY_MS = 24 * 3_600_000
const LAST_DATE = '9999-12-31'
const SOME_SUNDAY = '2026-11-15'
const STYLES = {
  /** Friday 20 November 2026 */
  full: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  /** 20 November 2026 */
  long: { day: 'numeric', month: 'long', year: 'numeric' },
  /** Fri 20 Nov */
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  /** 20 Nov */
  short: { day: 'numeric', month: 'short' },
} as const

export function formatDate(date: string, style: keyof typeof STYLES): string {
  return new Date(date).toLocaleDateString(currentLocale(), { timeZone: 'UTC', ...STYLES[style] })
}

/** Monday is 1: “Monday”, or “Mon”. */
export function formatWeekday(weekday: number, style: 'long' | 'short'): string {
  const date = new Date(addDaysToDate(SOME_SUNDAY, weekday))
  return date.toLocaleDateString(currentLocale(), { timeZone: 'UTC', weekday: style })
}

/** Returns the last representable day if the result would be later. */
export function addDaysToDate(date: string, days: number): string {
  const ms = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(LAST_DATE))
  return new Date(ms).toISOString().slice(0, 10)
}
