// Computes the times of the bookings of a series: the same local time of the building on each day.
import { message } from '../messages/message.ts'
import { invalid } from '../messages/refusal.ts'
import { fromWallClock, toWallClock, weekdayOf } from '../schemas/wall-clock.ts'
import { addYears } from '../utilities/date-times.ts'
import { type Repeating, SERIES_MAX } from './series.ts'

type TimeRange = { from: string; to: string }

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const YEARS_MAX = 2

/** Returns the times in order. The first one keeps the given instants, if its day is part of the series. */
export function findOccurrences(first: TimeRange, zone: string, repeat: Repeating): TimeRange[] {
  const wallMs = toWallClock(first.from, zone)
  const lengthMs = toWallClock(first.to, zone) - wallMs
  const day = Math.floor(wallMs / DAY_MS)
  const lastDay = Math.floor(toWallClock(addYears(first.from, YEARS_MAX), zone) / DAY_MS)
  return findDays(repeat, day, lastDay).map((each) => {
    if (each === day) return first
    const startMs = wallMs + (each - day) * DAY_MS
    const from = fromWallClock(startMs, zone)
    const to = fromWallClock(startMs + lengthMs, zone)
    const span = { from: withFraction(from, first.from), to: withFraction(to, first.to) }
    if (!/^\d{4}-/.test(to))
      throw invalid({ to_time: [message`A booking of the series would end after the year 9999.`] })
    return span.to > span.from ? span : { ...span, to: addLength(span.from, first) }
  })
}

function findDays(repeat: Repeating, first: number, lastDay: number): number[] {
  const until = repeat.until == null ? undefined : Date.parse(`${repeat.until}T00:00:00Z`) / DAY_MS
  const days: number[] = []
  for (const day of candidates(repeat, first)) {
    if (until !== undefined && day > until) break
    const isTooMany = days.length === SERIES_MAX
    if (day > lastDay || isTooMany) throw tooLong(repeat, isTooMany)
    days.push(day)
    if (days.length === repeat.count) break
  }
  if (days.length > 0) return days
  throw invalid({ 'repeat.until': [message`There is no day of the series until then.`] })
}

function tooLong({ count }: Repeating, isTooMany: boolean) {
  const field = count == null ? 'repeat.until' : 'repeat.count'
  const sentence = isTooMany
    ? message`A series has at most ${SERIES_MAX} bookings.`
    : message`The last booking must begin within ${YEARS_MAX} years after the first.`
  return invalid({ [field]: [sentence] })
}

// An infinite generator; the caller stops it.
function* candidates({ every, interval, on }: Repeating, first: number): Generator<number> {
  const step = interval ?? 1
  if (every === 'day') {
    for (let day = first; ; day += step) yield day
  }
  const weekday = weekdayOf(first)
  const weekdays = [...(on ?? [weekday])].sort((a, b) => a - b)
  for (let monday = first - weekday + 1; ; monday += step * WEEK_DAYS) {
    for (const each of weekdays) if (monday + each - 1 >= first) yield monday + each - 1
  }
}

// Local time is computed in seconds; the fraction of a second is kept.
const withFraction = (instant: string, of: string) => instant.slice(0, 20) + of.slice(20)

// For days when the clock change would make the booking end before it begins.
function addLength(from: string, first: TimeRange): string {
  const lengthMs = Date.parse(`${first.to.slice(0, 19)}Z`) - Date.parse(`${first.from.slice(0, 19)}Z`)
  const to = new Date(Date.parse(`${from.slice(0, 19)}Z`) + lengthMs).toISOString()
  return withFraction(to.replace('Z', '000Z'), first.to)
}
