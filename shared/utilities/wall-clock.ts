// Wall clocks: the instant that is meant by a date and a time in a zone that is named, and what clocks there show
// at an instant.
import { instantOf } from '../date-times.ts'
import { message } from '../messages/message.ts'
import { invalid } from '../refusal.ts'
import { wallMs } from './time-zones.ts'

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7

/** The instant at which clocks there show this; of an hour that comes twice it is the first. */
export function parseLocalDateTime(local: string, zone: string, field: string): string {
  const { instant, exists } = resolve(local, zone)
  if (!/^\d{4}-/.test(instant)) throw invalid({ [field]: [message`That is after the year 9999.`] })
  if (exists) return instant
  throw invalid({ [field]: [message`The clocks in ${zone} skip ${local.replace('T', ' ')} on that day.`] })
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

/** What clocks there show at an instant, in milliseconds as if it were UTC, without a part of a second. */
export function toWallClock(instant: string, zone: string): number {
  return wallMs(Math.floor(Date.parse(instant) / 1_000) * 1_000, zone)
}

/** The instant at which they show this: of an hour that comes twice the first, of one that they skip as much later. */
export function fromWallClock(wallMs: number, zone: string): string {
  return resolve(new Date(wallMs).toISOString().slice(0, -1), zone).instant
}

/** Of a day since 1970, from 1 (Monday) to 7. The first one, 1970-01-01, was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS) + 1
}

// Around a change of the clocks there are two offsets: each is right if it is the one of the instant that it makes.
function resolve(local: string, zone: string): { instant: string; exists: boolean } {
  const wall = Date.parse(`${local}Z`)
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallMs(ms, zone) - ms)
  const found = offsets.map((offset) => wall - offset).find((ms) => wallMs(ms, zone) === wall)
  return { instant: instantOf(found ?? wall - (offsets[0] ?? 0)), exists: found !== undefined }
}
