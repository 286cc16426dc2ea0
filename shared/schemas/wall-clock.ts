// Converts between instants and the local date and time in a named zone.

import { message } from '../messages/message.ts'
import { invalidFields } from '../messages/refusal.ts'
import { formatInstant } from '../utilities/date-times.ts'
import { localTimeMs } from '../utilities/time-zones.ts'

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const FIRST_SUPPORTED_DAY = '0001-01-03'
const LAST_SUPPORTED_DAY = '9999-12-29'

/** Returns the instant of a local time. If the clocks go back and the time occurs twice, returns the first instant. */
export function parseLocalDateTime(local: string, zone: string, field: string): string {
  const { instant, exists } = resolveLocalTime(local, zone)
  if (!/^\d{4}-/.test(instant))
    throw invalidFields({ [field]: [message`Times after the year 9999 are not supported.`] })
  if (exists) return instant
  throw invalidFields({
    [field]: [message`The clocks in ${zone} skip ${local.replace('T', ' ')} on that day.`],
  })
}

/**
 * Returns the instant at which a day begins in the zone. If the clocks skip midnight, the day begins a little later.
 */
export function findStartOfDay(date: string, zone: string): string {
  return resolveLocalTime(`${date}T00:00`, zone).instant
}

/**
 * Extends a period to whole days in the zone: from the start of its first day to the end of its last day. At the limits
 * of the calendar, returns the period unchanged.
 */
export function toWholeDays({ from, to }: { from: string; to: string | null }, zone: string) {
  const last =
    to === null ? undefined : new Date(localTimeMs(Date.parse(to) - 1, zone) + DAY_MS).toISOString()
  return {
    from: from < FIRST_SUPPORTED_DAY ? from : findStartOfDay(formatLocalDate(from, zone), zone),
    to: to === null || to >= LAST_SUPPORTED_DAY || !last ? to : findStartOfDay(last.slice(0, 10), zone),
  }
}

export function formatLocalDate(instant: string, zone: string): string {
  return formatLocalDateTime(instant, zone).slice(0, 10)
}

/** Formats an instant for an HTML input of type datetime-local. */
export function formatLocalDateTime(instant: string, zone: string): string {
  return new Date(localTimeMs(Date.parse(instant), zone)).toISOString().slice(0, -8)
}

/**
 * Returns the local time at an instant, as the number of milliseconds since 1970 as if local time were UTC. Ignores
 * fractions of a second.
 */
export function toWallClock(instant: string, zone: string): number {
  return localTimeMs(Math.floor(Date.parse(instant) / 1_000) * 1_000, zone)
}

/**
 * Returns the instant of a local time. If the time occurs twice, returns the first instant. If the clocks skip the
 * time, returns an instant that is later by the skipped time.
 */
export function fromWallClock(localTimeMs: number, zone: string): string {
  return resolveLocalTime(new Date(localTimeMs).toISOString().slice(0, -1), zone).instant
}

/**
 * Returns the weekday, from 1 (Monday) to 7, of a day that is given as the number of days since 1970. The first of
 * these days, 1970-01-01, was a Thursday.
 */
export function getWeekday(day: number): number {
  return ((((day + 3) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS) + 1
}

// Finds the instant of a local time. Around a clock change there are two offsets, and an offset is right if the instant
// that it gives has this offset.
function resolveLocalTime(local: string, zone: string): { instant: string; exists: boolean } {
  const wall = Date.parse(`${local}Z`)
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => localTimeMs(ms, zone) - ms)
  const found = offsets.map((offset) => wall - offset).find((ms) => localTimeMs(ms, zone) === wall)
  return { instant: formatInstant(found ?? wall - (offsets[0] ?? 0)), exists: found !== undefined }
}
