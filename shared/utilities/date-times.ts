// Instants as text, such as `2026-11-20T09:00:00.000000Z`. All of Berth uses this format: it sorts by time and keeps
// microseconds, which a JavaScript Date would lose.

import { BoundedMap } from './caches.ts'

const DATE_TIME_PATTERN =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?$/
const DATE_TIME_MS_MIN = Date.parse('0001-01-01T00:00:00Z')
const DATE_TIME_MS_MAX = Date.parse('9999-12-31T23:59:59Z')

type ParsedDateTime = { readonly instant: string; readonly hasOffset: boolean }

// The limit on cached instants. They are cached because a check parses the same text several times, and callers request
// the same weeks.
const CACHED_DATE_TIMES_MAX = 1_000
const parsedDateTimes = new BoundedMap<ParsedDateTime>(CACHED_DATE_TIMES_MAX)

/**
 * Parses an ISO 8601 date and time. Returns undefined if the text is invalid or the time is outside the years 0001 to
 * 9999.
 */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const known = parsedDateTimes.get(text)
  if (known) return known
  const result = parseUncached(text)
  if (result) parsedDateTimes.set(text, result)
  return result
}

function parseUncached(text: string): ParsedDateTime | undefined {
  const part = DATE_TIME_PATTERN.exec(text)?.groups
  if (!part) return undefined
  const [year, month, day] = [Number(part.year), Number(part.month), Number(part.day)]
  const [hour, minute, second] = [Number(part.hour), Number(part.minute), Number(part.second ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || !isValidDay(year, month, day)) return undefined
  const offsetMinutes = parseOffset(part.offset)
  if (offsetMinutes === undefined) return undefined
  const local = new Date(0)
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour, minute, second)
  const ms = local.getTime() - offsetMinutes * 60_000
  if (ms < DATE_TIME_MS_MIN || ms > DATE_TIME_MS_MAX) return undefined
  const micros = (part.fraction ?? '').slice(0, 6).padEnd(6, '0')
  return { instant: formatSecond(ms, micros), hasOffset: part.offset !== undefined }
}

/** Returns the date and time as written, without the offset, or undefined if the text has no offset. */
export function readWallClock(text: string): string | undefined {
  const local = text.replace(/(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/, '')
  return parseDateTime(text)?.hasOffset ? parseDateTime(local)?.instant : undefined
}

/**
 * Restores a `+` that a client did not escape. In a query string, it arrives as a space in place of the offset's sign.
 */
export function unescapePlus(text: string): string {
  return text.replace(/^(\S+) (?=\d{2}(?::?\d{2})?$)/, '$1+')
}

export function formatInstant(ms: number): string {
  const micros = String(((ms % 1000) + 1000) % 1000)
    .padStart(3, '0')
    .padEnd(6, '0')
  return formatSecond(ms, micros)
}

export const addHours = (instant: string, hours: number) => addMinutes(instant, hours * 60)

export function addMinutes(instant: string, minutes: number): string {
  return replaceDate(instant, new Date(Date.parse(instant) + minutes * 60_000))
}

export function addDays(instant: string, days: number): string {
  const date = new Date(instant)
  date.setUTCDate(date.getUTCDate() + days)
  return replaceDate(instant, date)
}

export function addYears(instant: string, years: number): string {
  const date = new Date(instant)
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return replaceDate(instant, date)
}

// Replaces the date and time but keeps the text of the fraction, because a Date only has milliseconds.
function replaceDate(instant: string, date: Date): string {
  return date.getTime() > DATE_TIME_MS_MAX
    ? '9999-12-31T23:59:59.999999Z'
    : formatSecond(date.getTime(), instant.slice(20, 26))
}

function formatSecond(ms: number, micros: string): string {
  return `${new Date(ms).toISOString().slice(0, 19)}.${micros}Z`
}

function isValidDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const date = new Date(0)
  date.setUTCFullYear(year, month, 0)
  return day <= date.getUTCDate()
}

function parseOffset(offset: string | undefined): number | undefined {
  if (offset === undefined || offset.toUpperCase() === 'Z') return 0
  const digits = offset.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
