// Wall clocks: what people type into the fields of a date or a time, in a zone that the page names, and the instant
// that is meant.
import { text } from '../../../shared/contracts/fields.ts'
import { instantOf, parseDateTime } from '../../../shared/date-times.ts'
import { invalid } from '../../../shared/refusal.ts'
import { createZoneFormat } from './zone-formats.ts'

const DAY_MS = 24 * 3_600_000
// Nobody means the years before 1000; their days begin, in some zones, in a year that Postgres does not have.
const LOCAL = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/
const LAST_DATE = '9999-12-31'
const formatOf = createZoneFormat({
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** A field of the type datetime-local. */
export function localDateTime() {
  return text({ max: 30 }).test(
    'local',
    ({ path }) => `${path} must be a date and a time, such as 2026-11-20T09:00.`,
    (value) => value === undefined || (LOCAL.test(value) && parseDateTime(value) !== undefined),
  )
}

/** A field of the type date. */
export function localDate() {
  return text({ max: 10 }).test(
    'date',
    ({ path }) => `${path} must be a date, such as 2026-11-20.`,
    (value) => value === undefined || (DATE.test(value) && parseDateTime(`${value}T00:00`) !== undefined),
  )
}

/** The instant at which clocks there show this; of an hour that comes twice it is the first. */
export function parseLocalDateTime(local: string, zone: string, field: string): string {
  const { instant, exists } = resolve(local, zone)
  if (!/^\d{4}-/.test(instant)) throw invalid({ [field]: ['That is after the year 9999.'] })
  if (exists) return instant
  throw invalid({ [field]: [`The clocks in ${zone} skip ${local.replace('T', ' ')} on that day.`] })
}

/** When a day begins there. Where the clocks skip midnight that is a little later. */
export function startOfDay(date: string, zone: string): string {
  return resolve(`${date}T00:00`, zone).instant
}

export function formatLocalDate(instant: string, zone: string): string {
  return formatLocalDateTime(instant, zone).slice(0, 10)
}

/** As a field of the type datetime-local takes it. */
export function formatLocalDateTime(instant: string, zone: string): string {
  return new Date(wallMs(Date.parse(instant), zone)).toISOString().slice(0, -8)
}

/** The last day that there is, where it would be a later one. */
export function addDaysToDate(date: string, days: number): string {
  const ms = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(LAST_DATE))
  return new Date(ms).toISOString().slice(0, 10)
}

// Around a change of the clocks there are two offsets: each is right if it is the one of the instant that it makes.
function resolve(local: string, zone: string): { instant: string; exists: boolean } {
  const wall = Date.parse(`${local}Z`)
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallMs(ms, zone) - ms)
  const found = offsets.map((offset) => wall - offset).find((ms) => wallMs(ms, zone) === wall)
  return { instant: instantOf(found ?? wall - (offsets[0] ?? 0)), exists: found !== undefined }
}

/** What the clocks show, as if it were UTC. */
function wallMs(ms: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const { year = '', month, day, hour, minute, second } = parts
  // In the east the year 9999 ends earlier: what is an instant of it in UTC may be one of the next there.
  const digits = year.length > 4 ? `+${year.padStart(6, '0')}` : year.padStart(4, '0')
  const whole = `${digits}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Date.parse(whole) + (((ms % 1000) + 1000) % 1000)
}
