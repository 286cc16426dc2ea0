// Formats and calculates instants, durations and calendar days, which have no time zone. `show…` functions return HTML,
// `format…` functions text.
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { createZoneFormat } from '../../../../shared/utilities/time-zones.ts'
import { attributes, type Html, html } from '../../../html/html.ts'
import { byLocale, currentLocale, t } from '../../locales/translate.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
const UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relativeFormat = byLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const timeOfDay = { hour: '2-digit', minute: '2-digit' } as const
const timeFormat = createZoneFormat(timeOfDay)
const dayFormat = createZoneFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const instantFormat = createZoneFormat({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  ...timeOfDay,
  timeZoneName: 'short',
})

/** With its zone, for a sentence: `20 Nov 2026, 09:30 UTC`. */
export function formatInstant(instant: string, zone: string): string {
  return instantFormat(zone, currentLocale()).format(new Date(instant))
}

/** `09:30`. */
export function formatTime(instant: string, zone: string): string {
  return timeFormat(zone, currentLocale()).format(new Date(instant))
}

/** `Fri, 20 Nov 2026, 09:30`. */
export function formatDayAndTime(instant: string, zone: string): string {
  return `${dayFormat(zone, currentLocale()).format(new Date(instant))}, ${formatTime(instant, zone)}`
}

/** Only the time if both instants are on the same day in this zone. */
export function formatTimeBeside(instant: string, other: string, zone: string): string {
  const isSameDay = formatLocalDate(instant, zone) === formatLocalDate(other, zone)
  return isSameDay ? formatTime(instant, zone) : formatDayAndTime(instant, zone)
}

export function showInstant(instant: string, zone: string): Html {
  return showAs(formatInstant(instant, zone), instant)
}

export function showTime(instant: string, zone: string): Html {
  return showAs(formatTime(instant, zone), instant)
}

/** The end of a span that began at `from`: only the time if it is on the same day. */
export function formatEnd(from: string, to: string, zone: string): string {
  const [start, end] = [formatInstant(from, zone), formatInstant(to, zone)]
  const day = end.slice(0, end.indexOf(',') + 2)
  return start.startsWith(day) ? end.slice(day.length) : end
}

/** Shows how long ago or ahead it is, which needs no time zone. The tooltip shows the instant in UTC. */
export function showRelativeInstant(instant: string, now: string): Html {
  const seconds = (Date.parse(instant) - Date.parse(now)) / 1000
  return showAs(formatDistance(seconds), instant, formatInstant(instant, 'UTC'))
}

/** The start that forms suggest: the next full hour. */
export function nextFullHour(now: string): string {
  const beginning = `${now.slice(0, 13)}:00:00.000000Z`
  return Date.parse(now) % HOUR_MS === 0 ? beginning : addHours(beginning, 1)
}

function showAs(text: string, instant: string, title?: string): Html {
  const own = attributes({ datetime: new Date(instant).toISOString(), title })
  return html`<time${own}>${text}</time>`
}

function formatDistance(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? []
  if (!unit || !size) return t`just now`
  return relativeFormat().format(Math.trunc(seconds / size), unit)
}

/** `350 ms`, `1.2 s`, `40 s`, `5 min`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND_MS) return `${(Math.floor(ms / 100) / 10).toLocaleString(currentLocale(), TENTHS)} s`
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
}

const DAY_MS = 24 * 3_600_000
const LAST_DATE = '9999-12-31'
const SOME_SUNDAY = '2026-11-15'
const STYLES = {
  /** Friday 20 November 2026 */
  full: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  /** Friday 20 November */
  dayOfYear: { weekday: 'long', day: 'numeric', month: 'long' },
  /** 20 November 2026 */
  long: { day: 'numeric', month: 'long', year: 'numeric' },
  /** Fri 20 Nov */
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  /** Fri 20 Nov 2026 */
  weekdayOfYear: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  /** 20 Nov */
  short: { day: 'numeric', month: 'short' },
  /** November 2026 */
  month: { month: 'long', year: 'numeric' },
  /** November */
  'month-name': { month: 'long' },
} as const

type Style = keyof typeof STYLES
// Each is made once for a locale, because making a format takes many times as long as using it.
const dateFormats = Object.fromEntries(
  Object.entries(STYLES).map(([style, options]) => [style, createZoneFormat(options)]),
) as Record<Style, ReturnType<typeof createZoneFormat>>
const weekdayFormats = {
  long: createZoneFormat({ weekday: 'long' }),
  short: createZoneFormat({ weekday: 'short' }),
}

export function formatDate(date: string, style: Style): string {
  return dateFormats[style]('UTC', currentLocale()).format(new Date(date))
}

/** Monday is 1: “Monday”, or “Mon”. */
export function formatWeekday(weekday: number, style: 'long' | 'short'): string {
  const date = new Date(addDaysToDate(SOME_SUNDAY, weekday))
  return weekdayFormats[style]('UTC', currentLocale()).format(date)
}

/** Returns the last representable day if the result would be later. */
export function addDaysToDate(date: string, days: number): string {
  const ms = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(LAST_DATE))
  return new Date(ms).toISOString().slice(0, 10)
}
