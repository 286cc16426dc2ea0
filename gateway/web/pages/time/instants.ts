// Formats and calculates instants, durations, and calendar days, which have no time zone. `show…` functions
// return HTML, and `format…` functions return text.
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { createZoneFormat } from '../../../../shared/utilities/time-zones.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { cacheByLocale, currentLocale, t } from '../../locales/translate.ts'
import { markZone } from './zones.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const TENTHS_FORMAT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
const RELATIVE_UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relativeFormat = cacheByLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const timeOfDayStyle = { hour: '2-digit', minute: '2-digit' } as const
const timeFormat = createZoneFormat(timeOfDayStyle)
const dayFormat = createZoneFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const instantFormat = createZoneFormat({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  ...timeOfDayStyle,
})

/** Formats an instant: `20 Nov 2026, 09:30`. A page with several time zones names the zone after it. */
export function formatInstant(instant: string, zone: string): string {
  return instantFormat(zone, currentLocale()).format(new Date(instant)) + markZone(zone)
}

/** Formats a time, such as `09:30`. */
export function formatTime(instant: string, zone: string): string {
  return timeFormat(zone, currentLocale()).format(new Date(instant))
}

/** Formats a day and time, such as `Fri, 20 Nov 2026, 09:30`. */
export function formatDayAndTime(instant: string, zone: string): string {
  return `${dayFormat(zone, currentLocale()).format(new Date(instant))}, ${formatTime(instant, zone)}`
}

/** Formats an instant next to another instant. Shows only the time if both are on the same day in this time zone. */
export function formatTimeBeside(instant: string, other: string, zone: string): string {
  const isSameDay = formatLocalDate(instant, zone) === formatLocalDate(other, zone)
  return isSameDay ? formatTime(instant, zone) : formatDayAndTime(instant, zone)
}

export function showInstant(instant: string, zone: string): Html {
  return showTimeElement(formatInstant(instant, zone), instant)
}

export function showTime(instant: string, zone: string): Html {
  return showTimeElement(formatTime(instant, zone), instant)
}

/** Formats the end of a span that began at `from`. Shows only the time if the span ends on the same day: the start
 * beside it names the time zone. */
export function formatEnd(from: string, to: string, zone: string): string {
  const isSameDay = formatLocalDate(from, zone) === formatLocalDate(to, zone)
  return isSameDay ? formatTime(to, zone) : formatInstant(to, zone)
}

/** Shows how far an instant is in the past or future, which is the same in every time zone. The tooltip shows
 * the instant in UTC. */
export function showRelativeInstant(instant: string, now: string): Html {
  const seconds = (Date.parse(instant) - Date.parse(now)) / 1000
  return showTimeElement(
    formatDistance(seconds),
    instant,
    `${instantFormat('UTC', currentLocale()).format(new Date(instant))} UTC`,
  )
}

/** Returns the start that forms suggest: the next full hour. */
export function findNextFullHour(now: string): string {
  const beginning = `${now.slice(0, 13)}:00:00.000000Z`
  return Date.parse(now) % HOUR_MS === 0 ? beginning : addHours(beginning, 1)
}

function showTimeElement(text: string, instant: string, title?: string): Html {
  const own = formatAttributes({ datetime: new Date(instant).toISOString(), title })
  return html`<time${own}>${text}</time>`
}

function formatDistance(seconds: number): string {
  const [unit, size] = RELATIVE_UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? []
  if (!unit || !size) return t`just now`
  return relativeFormat().format(Math.trunc(seconds / size), unit)
}

/** Formats a duration, such as `350 ms`, `1.2 s`, `40 s`, `5 min` or `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND_MS)
    return `${(Math.floor(ms / 100) / 10).toLocaleString(currentLocale(), TENTHS_FORMAT)} s`
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
}

const DAY_MS = 24 * 3_600_000
const LAST_DATE = '9999-12-31'
const SOME_SUNDAY = '2026-11-15'
const DATE_STYLES = {
  /** For example: Friday 20 November 2026 */
  full: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  /** For example: Friday 20 November */
  dayOfYear: { weekday: 'long', day: 'numeric', month: 'long' },
  /** For example: 20 November 2026 */
  long: { day: 'numeric', month: 'long', year: 'numeric' },
  /** For example: Fri 20 Nov */
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  /** For example: Fri 20 Nov 2026 */
  weekdayOfYear: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  /** For example: 20 Nov */
  short: { day: 'numeric', month: 'short' },
  /** For example: November 2026 */
  month: { month: 'long', year: 'numeric' },
  /** For example: November */
  'month-name': { month: 'long' },
} as const

type DateStyle = keyof typeof DATE_STYLES
// The formats by style. Each format is created once for a locale, because creating it takes many times as
// long as using it.
const dateFormats = Object.fromEntries(
  Object.entries(DATE_STYLES).map(([style, options]) => [style, createZoneFormat(options)]),
) as Record<DateStyle, ReturnType<typeof createZoneFormat>>
const weekdayFormats = {
  long: createZoneFormat({ weekday: 'long' }),
  short: createZoneFormat({ weekday: 'short' }),
}

export function formatDate(date: string, style: DateStyle): string {
  return dateFormats[style]('UTC', currentLocale()).format(new Date(date))
}

/** Returns the name of a weekday, such as “Monday” or “Mon”. Monday is number 1. */
export function formatWeekday(weekday: number, style: 'long' | 'short'): string {
  const date = new Date(addDaysToDate(SOME_SUNDAY, weekday))
  return weekdayFormats[style]('UTC', currentLocale()).format(date)
}

/** Adds days to a date. Returns the last representable day if the result would be later. */
export function addDaysToDate(date: string, days: number): string {
  const ms = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(LAST_DATE))
  return new Date(ms).toISOString().slice(0, 10)
}
