// The times of entries: instants, and the dates of all-day entries in a zone.
import { findStartOfDay, formatLocalDate, fromWallClock } from '../../schemas/wall-clock.ts'
import { formatInstant } from '../../utilities/date-times.ts'
import type { CalendarEntry, Period } from './provider.ts'
import { findZone } from './windows-zones.ts'

export type EntryTimes = Period & Pick<CalendarEntry, 'allDay'>

/** `to` is the day after the last one. An entry without an end, or one that ends before it starts, is one day long. */
export function createAllDayTimes(from: string, to: string, zone: string): EntryTimes {
  const end = to > from ? to : addDay(from)
  return {
    from: findStartOfDay(from, zone),
    to: findStartOfDay(end, zone),
    allDay: { from, to: end, zone },
  }
}

export function createTimes(from: string, to: string): EntryTimes {
  return { from, to: to > from ? to : from, allDay: null }
}

/** Returns the instant of a local time such as 2026-11-20T09:00:00.0000000, in a zone with an IANA or Windows name. */
export function toInstant(local: string, zoneName: string, zoneOtherwise: string): string {
  const zone = findZone(zoneName) ?? zoneOtherwise
  return fromWallClock(Date.parse(`${local.slice(0, 19)}Z`), zone)
}

export const toLocalDate = (instant: string, zone: string) => formatLocalDate(instant, zone)

/** Writes an instant as Berth does, with six fractional digits. */
export const toBerthInstant = (text: string) => formatInstant(Date.parse(text))

/** Whether Postgres can read these instants. Berth writes only the years 1 to 9999 in a form that Postgres can read. */
export const isStorable = ({ from, to }: Period): boolean =>
  [from, to].every((instant) => /^(?!0000)\d{4}-/.test(instant))

/** An entry that has no length overlaps the period if it begins within it. */
export function overlaps({ from, to }: Period, period: Period): boolean {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const [first, last] = [Date.parse(period.from), Date.parse(period.to)]
  return start < last && (end > first || (start === end && start >= first))
}

const DAY_MS = 24 * 3_600_000
const addDay = (date: string) => new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
