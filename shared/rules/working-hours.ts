// Adds a number of working hours to an instant. The working hours of a building are its opening hours, minus the times
// at which it is closed.
import { fromWallClock, getWeekday, toWallClock } from '../schemas/wall-clock.ts'
import { formatInstant } from '../utilities/date-times.ts'
import { findOpenIntervals, type OpeningHours } from './opening-hours.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * HOUR_MS
// The number of days to search for working hours. A building that is not open for enough hours within a year has no
// useful working hours.
const SEARCHED_DAYS_MAX = 366

/** The working hours of buildings without opening hours. */
const OFFICE_HOURS: OpeningHours = ([1, 2, 3, 4, 5] as const).map((day) => ({
  day,
  from: '08:00',
  to: '18:00',
}))

type ClosedTime = { from: string; to: string }
export type WorkCalendar = { zone: string; hours: OpeningHours | null | undefined; closed: ClosedTime[] }
type SpanMs = { from: number; to: number }

/**
 * Returns when this many working hours have passed. Returns `latest` if that is earlier, or if the hours do not pass
 * within a year.
 */
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
  for (let day = firstDay; day < firstDay + SEARCHED_DAYS_MAX && day * DAY_MS <= latestMs + DAY_MS; day++) {
    for (const open of findOpenSpans(opening ?? OFFICE_HOURS, day, zone)) {
      for (const { from, to } of removeClosedTimes(
        { ...open, from: Math.max(open.from, startMs) },
        closedMs,
      )) {
        const workedMs = Math.max(0, to - from)
        const endMs = from + missingMs
        if (workedMs >= missingMs) return endMs < latestMs ? formatInstant(endMs) : latest
        missingMs -= workedMs
      }
    }
  }
  return latest
}

/**
 * Returns the periods in which a building is open on a day, which is given as the number of days since 1970. A period
 * that includes a clock change has its real length.
 */
const findOpenSpans = (hours: OpeningHours, day: number, zone: string): SpanMs[] =>
  findOpenIntervals(hours, getWeekday(day)).map(({ from, to }) => ({
    from: Date.parse(fromWallClock(day * DAY_MS + from * MINUTE_MS, zone)),
    to: Date.parse(fromWallClock(day * DAY_MS + to * MINUTE_MS, zone)),
  }))

/** Returns the parts of a period that are not closed, in order. */
const removeClosedTimes = (span: SpanMs, closed: SpanMs[]): SpanMs[] =>
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
