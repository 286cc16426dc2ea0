// Adds working hours of a building to an instant: its opening hours without the times at which it is closed.
import { fromWallClock, toWallClock, weekdayOf } from '../schemas/wall-clock.ts'
import { instantOf } from '../utilities/date-times.ts'
import { intervalsOf, type OpeningHours } from './opening-hours.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * HOUR_MS
// A building that is open for less than this many hours within a year has no useful working hours.
const DAYS_MAX = 366

/** For buildings without opening hours. */
const OFFICE_HOURS: OpeningHours = ([1, 2, 3, 4, 5] as const).map((day) => ({
  day,
  from: '08:00',
  to: '18:00',
}))

type Closed = { from: string; to: string }
export type WorkCalendar = { zone: string; hours: OpeningHours | null | undefined; closed: Closed[] }
type SpanMs = { from: number; to: number }

/** Returns `latest` if the hours end after it, or not within a year. */
export function addWorkingHours(
  start: string,
  hours: number,
  { zone, hours: opening, closed }: WorkCalendar,
  latest: string,
): string {
  const [startMs, latestMs] = [Date.parse(start), Date.parse(latest)]
  const firstDay = Math.floor(toWallClock(start, zone) / DAY_MS)
  const closedMs = closed.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
  let missingMs = hours * HOUR_MS
  for (let day = firstDay; day < firstDay + DAYS_MAX && day * DAY_MS <= latestMs + DAY_MS; day++) {
    for (const open of openSpans(opening ?? OFFICE_HOURS, day, zone)) {
      for (const { from, to } of withoutClosed({ ...open, from: Math.max(open.from, startMs) }, closedMs)) {
        const workedMs = Math.max(0, to - from)
        const endMs = from + missingMs
        if (workedMs >= missingMs) return endMs < latestMs ? instantOf(endMs) : latest
        missingMs -= workedMs
      }
    }
  }
  return latest
}

/** `day` counts days since 1970. When the clocks change, a span has its real length. */
const openSpans = (hours: OpeningHours, day: number, zone: string): SpanMs[] =>
  intervalsOf(hours, weekdayOf(day)).map(({ from, to }) => ({
    from: Date.parse(fromWallClock(day * DAY_MS + from * MINUTE_MS, zone)),
    to: Date.parse(fromWallClock(day * DAY_MS + to * MINUTE_MS, zone)),
  }))

/** The parts of a span that are not closed, in their order. */
const withoutClosed = (span: SpanMs, closed: SpanMs[]): SpanMs[] =>
  closed.reduce(
    (parts, { from, to }) =>
      parts.flatMap((part) =>
        [
          { from: part.from, to: Math.min(part.to, from) },
          { from: Math.max(part.from, to), to: part.to },
        ].filter((each) => each.from < each.to),
      ),
    [span],
  )
