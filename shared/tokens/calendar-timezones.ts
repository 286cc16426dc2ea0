// Formats local times for calendar files, and the VTIMEZONE component that describes the clock changes of a time zone.
import { localTimeMs, spellTimezone } from '../utilities/time-zones.ts'

export type Property = readonly [name: string, value: string]

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const UTC = 'UTC'

const toMs = (instant: string) => Math.floor(Date.parse(instant) / SECOND_MS) * SECOND_MS
const findOffset = (ms: number, zone: string) => localTimeMs(ms, zone) - ms
/** Formats milliseconds as a date and time without fractions of a second, which calendar files do not support. */
const formatMs = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')

/** Formats an instant in UTC. */
export const formatCalendarInstant = (instant: string): string => `${formatMs(toMs(instant))}Z`

/**
 * Creates a property with a local time. Uses UTC instead if the local time occurs twice because the clocks go back:
 * calendar programs disagree about which of the two instants such a local time means.
 */
export function createTimeProperty(name: string, instant: string, zone: string): Property {
  return zone === UTC || isRepeatedLocalTime(instant, zone)
    ? [name, formatCalendarInstant(instant)]
    : [`${name};TZID=${zone}`, formatCalendarLocalTime(instant, zone)]
}

export const formatCalendarLocalTime = (instant: string, zone: string): string =>
  formatMs(localTimeMs(toMs(instant), zone))

/** Returns whether the local time of an instant occurs twice, because the clocks go back. */
export function isRepeatedLocalTime(instant: string, zone: string): boolean {
  const ms = toMs(instant)
  const local = localTimeMs(ms, zone)
  return [ms - DAY_MS, ms + DAY_MS]
    .map((near) => local - findOffset(near, zone))
    .some((other) => other !== ms && localTimeMs(other, zone) === local)
}

/** Returns whether the clocks change between two instants. */
export const isClockChangeBetween = (from: string, to: string, zone: string): boolean =>
  findOffset(toMs(from), zone) !== findOffset(toMs(to), zone)

/**
 * Returns the lines of a VTIMEZONE component with the clock changes from the year of `from` to the year of `to`. It
 * covers whole years, so that a calendar feed does not change every second. Returns no lines for UTC, which needs no
 * component.
 */
export function describeTimezone(name: string, from: string, to: string): Property[] {
  const zone = spellTimezone(name)
  if (zone === UTC) return []
  const fromMs = Date.UTC(new Date(from).getUTCFullYear(), 0) - DAY_MS
  const endMs = Date.UTC(new Date(to).getUTCFullYear() + 1, 0) + DAY_MS
  const offset = findOffset(fromMs, zone)
  return [
    ['BEGIN', 'VTIMEZONE'],
    ['TZID', zone],
    ...describeClockChange({ ms: fromMs, before: offset, after: offset }),
    ...findClockChanges(fromMs, endMs, zone).flatMap(describeClockChange),
    ['END', 'VTIMEZONE'],
  ]
}

type ClockChange = { ms: number; before: number; after: number }

function findClockChanges(fromMs: number, endMs: number, zone: string): ClockChange[] {
  const changes: ClockChange[] = []
  for (let ms = fromMs; ms < endMs; ms += DAY_MS) {
    const [before, after] = [findOffset(ms, zone), findOffset(ms + DAY_MS, zone)]
    if (before !== after) changes.push({ ms: findChange(ms, ms + DAY_MS, zone), before, after })
  }
  return changes
}

/** Finds the second at which the clocks change, between two instants with different offsets. */
function findChange(startMs: number, endMs: number, zone: string): number {
  const after = findOffset(endMs, zone)
  let [low, high] = [startMs, endMs]
  while (high - low > SECOND_MS) {
    const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS
    if (findOffset(middle, zone) === after) high = middle
    else low = middle
  }
  return high
}

function describeClockChange({ ms, before, after }: ClockChange): Property[] {
  const name = after > before ? 'DAYLIGHT' : 'STANDARD'
  return [
    ['BEGIN', name],
    ['DTSTART', formatMs(ms + before)],
    ['TZOFFSETFROM', formatOffset(before)],
    ['TZOFFSETTO', formatOffset(after)],
    ['END', name],
  ]
}

function formatOffset(offsetMs: number): string {
  const digits = formatMs(Math.abs(offsetMs)).slice(-6)
  return (offsetMs < 0 ? '-' : '+') + (digits.endsWith('00') ? digits.slice(0, 4) : digits)
}
