// Whether a time lies entirely within opening hours, which are in the building's local time.
import type { OpeningHours } from '../../../shared/rules/rules.ts'
import { formatLocalDateTime, weekdayOf } from '../../../shared/schemas/wall-clock.ts'

const DAY_MINUTES = 24 * 60
const WEEK_DAYS = 7

type Interval = { from: number; to: number }

/** The first weekday that is not covered, from 1 (Monday) to 7; undefined if all are. */
export function findClosedWeekday(
  hours: OpeningHours,
  zone: string,
  { from, to }: { from: string; to: string },
): number | undefined {
  const times = [wallMinutes(from, zone), wallMinutes(to, zone) + (isWholeMinute(to) ? 0 : 1)]
  // If an hour comes twice, the end may show an earlier local time than the start.
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const [first, last] = [dayOf(start), dayOf(end - 1)]
  // After a week of whole days every weekday has been checked.
  for (let day = first; day <= Math.min(last, first + WEEK_DAYS); day++) {
    const wanted = {
      from: day === first ? start - day * DAY_MINUTES : 0,
      to: day === last ? end - day * DAY_MINUTES : DAY_MINUTES,
    }
    const weekday = weekdayOf(day)
    const isOpen = intervalsOf(hours, weekday).some(
      (open) => open.from <= wanted.from && wanted.to <= open.to,
    )
    if (!isOpen) return weekday
  }
  return undefined
}

/** Days since 1970 in local time. */
export function localDay(instant: string, zone: string): number {
  return dayOf(wallMinutes(instant, zone))
}

/** Adjacent intervals are merged. */
function intervalsOf(hours: OpeningHours, weekday: number): Interval[] {
  const own = hours
    .filter(({ day }) => day === weekday)
    .map(({ from, to }) => ({ from: minutesOf(from), to: minutesOf(to) }))
    .sort((a, b) => a.from - b.from)
  const joined: Interval[] = []
  for (const each of own) {
    const last = joined.at(-1)
    if (last && each.from <= last.to) last.to = Math.max(last.to, each.to)
    else joined.push(each)
  }
  return joined
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

// Minutes since 1970 in local time.
function wallMinutes(instant: string, zone: string): number {
  return Math.floor(Date.parse(`${formatLocalDateTime(instant, zone)}Z`) / 60_000)
}

const isWholeMinute = (instant: string) => /:00\.0+Z$/.test(instant)
const dayOf = (minutes: number) => Math.floor(minutes / DAY_MINUTES)
