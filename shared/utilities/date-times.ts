// Instants as text: `2026-11-20T09:00:00.000000Z`. All of Berth uses this one form: it sorts by time, and it
// keeps microseconds, which a JavaScript Date would lose.

import { BoundedMap } from './caches.ts'

const FORMAT =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?$/
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

type ParsedDateTime = { readonly instant: string; readonly hasOffset: boolean }

// A check parses the same text several times, and callers ask for the same weeks.
const PARSED_MAX = 1_000
const parsed = new BoundedMap<ParsedDateTime>(PARSED_MAX)

/** Parses an ISO 8601 date-time; undefined if it is invalid, or outside the years 0001 to 9999. */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const known = parsed.get(text)
  if (known) return known
  const result = parse(text)
  if (result) parsed.set(text, result)
  return result
}

function parse(text: string): ParsedDateTime | undefined {
  const part = FORMAT.exec(text)?.groups
  if (!part) return undefined
  const [year, month, day] = [Number(part.year), Number(part.month), Number(part.day)]
  const [hour, minute, second] = [Number(part.hour), Number(part.minute), Number(part.second ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || !isDay(year, month, day)) return undefined
  const offsetMinutes = parseOffset(part.offset)
  if (offsetMinutes === undefined) return undefined
  const local = new Date(0)
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour, minute, second)
  const ms = local.getTime() - offsetMinutes * 60_000
  if (ms < FIRST_MS || ms > LAST_MS) return undefined
  const micros = (part.fraction ?? '').slice(0, 6).padEnd(6, '0')
  return { instant: formatSecond(ms, micros), hasOffset: part.offset !== undefined }
}

/** The date and time as written, whatever the offset; undefined if there is no offset. */
export function readWallClock(text: string): string | undefined {
  const local = text.replace(/(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/, '')
  return parseDateTime(text)?.hasOffset ? parseDateTime(local)?.instant : undefined
}

/** In a query, a space in place of the offset's sign is a `+` that the client did not escape. */
export function unescapePlus(text: string): string {
  return text.replace(/^(\S+) (?=\d{2}(?::?\d{2})?$)/, '$1+')
}

export function instantOf(ms: number): string {
  const micros = String(((ms % 1000) + 1000) % 1000)
    .padStart(3, '0')
    .padEnd(6, '0')
  return formatSecond(ms, micros)
}

export const addHours = (instant: string, hours: number) => addMinutes(instant, hours * 60)

export function addMinutes(instant: string, minutes: number): string {
  return withDate(instant, new Date(Date.parse(instant) + minutes * 60_000))
}

export function addDays(instant: string, days: number): string {
  const date = new Date(instant)
  date.setUTCDate(date.getUTCDate() + days)
  return withDate(instant, date)
}

export function addYears(instant: string, years: number): string {
  const date = new Date(instant)
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return withDate(instant, date)
}

// Keeps the fraction as it is: a Date knows milliseconds only.
function withDate(instant: string, date: Date): string {
  return date.getTime() > LAST_MS
    ? '9999-12-31T23:59:59.999999Z'
    : formatSecond(date.getTime(), instant.slice(20, 26))
}

function formatSecond(ms: number, micros: string): string {
  return `${new Date(ms).toISOString().slice(0, 19)}.${micros}Z`
}

function isDay(year: number, month: number, day: number): boolean {
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
