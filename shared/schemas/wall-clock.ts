// Wall clocks: converts between a date and time in a named zone and the instant that it means.

import { message } from '../messages/message.ts'
import { invalid } from '../messages/refusal.ts'
import { instantOf } from '../utilities/date-times.ts'
import { wallMs } from '../utilities/time-zones.ts'

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const FIRST_DAYS = '0001-01-03'
const LAST_DAYS = '9999-12-29'

/** The instant at which clocks there show this; the first one if the hour occurs twice. */
export function parseLocalDateTime(local: string, zone: string, field: string): string {
  const { instant, exists } = resolve(local, zone)
  if (!/^\d{4}-/.test(instant)) throw invalid({ [field]: [message`That is after the year 9999.`] })
  if (exists) return instant
  throw invalid({ [field]: [message`The clocks in ${zone} skip ${local.replace('T', ' ')} on that day.`] })
}

/** The instant at which a day begins there: a little later if the clocks skip midnight. */
export function startOfDay(date: string, zone: string): string {
  return resolve(`${date}T00:00`, zone).instant
}

/** The days there that a span touches, as a whole. At the ends of the calendar the span itself. */
export function wholeDays({ from, to }: { from: string; to: string | null }, zone: string) {
  const last = to === null ? undefined : new Date(wallMs(Date.parse(to) - 1, zone) + DAY_MS).toISOString()
  return {
    from: from < FIRST_DAYS ? from : startOfDay(formatLocalDate(from, zone), zone),
    to: to === null || to >= LAST_DAYS || !last ? to : startOfDay(last.slice(0, 10), zone),
  }
}

export function formatLocalDate(instant: string, zone: string): string {
  return formatLocalDateTime(instant, zone).slice(0, 10)
}

/** The format of an input of type datetime-local. */
export function formatLocalDateTime(instant: string, zone: string): string {
  return new Date(wallMs(Date.parse(instant), zone)).toISOString().slice(0, -8)
}

/** What clocks there show at an instant, in milliseconds as if it were UTC, without fractions of a second. */
export function toWallClock(instant: string, zone: string): number {
  return wallMs(Math.floor(Date.parse(instant) / 1_000) * 1_000, zone)
}

/**
 * The instant at which clocks there show this: the first one if the hour occurs twice; if the clocks skip it,
 * as much later.
 */
export function fromWallClock(wallMs: number, zone: string): string {
  return resolve(new Date(wallMs).toISOString().slice(0, -1), zone).instant
}

/** The weekday of a day since 1970, from 1 (Monday) to 7. The first day, 1970-01-01, was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS) + 1
}

// Around a clock change there are two offsets: each is right if the instant that it gives has that offset.
function resolve(local: string, zone: string): { instant: string; exists: boolean } {
  const wall = Date.parse(`${local}Z`)
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallMs(ms, zone) - ms)
  const found = offsets.map((offset) => wall - offset).find((ms) => wallMs(ms, zone) === wall)
  return { instant: instantOf(found ?? wall - (offsets[0] ?? 0)), exists: found !== undefined }
}
