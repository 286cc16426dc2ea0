// Computes the times of the bookings or events of a series. All of them have the same local time in the time zone of
// the series.
import { message } from '../messages/message.ts'
import { invalidFields } from '../messages/refusal.ts'
import { fromWallClock, getWeekday, toWallClock } from '../schemas/wall-clock.ts'
import { addYears } from '../utilities/date-times.ts'
import { type Repetition, SERIES_MAX } from './repetition.ts'

type TimeRange = { from: string; to: string }

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const YEARS_MAX = 2

/**
 * Returns the times of the series in order. If the first day is part of the series, its time keeps its exact instants.
 */
export function findOccurrences(first: TimeRange, zone: string, repeat: Repetition): TimeRange[] {
  const localTimeMs = toWallClock(first.from, zone)
  const lengthMs = toWallClock(first.to, zone) - localTimeMs
  const day = Math.floor(localTimeMs / DAY_MS)
  const lastDay = Math.floor(toWallClock(addYears(first.from, YEARS_MAX), zone) / DAY_MS)
  return findDays(repeat, day, lastDay).map((each) => {
    if (each === day) return first
    const startMs = localTimeMs + (each - day) * DAY_MS
    const from = fromWallClock(startMs, zone)
    const to = fromWallClock(startMs + lengthMs, zone)
    const span = { from: withFraction(from, first.from), to: withFraction(to, first.to) }
    if (!/^\d{4}-/.test(to))
      throw invalidFields({ to_time: [message`The series would end after the year 9999.`] })
    return span.to > span.from ? span : { ...span, to: addDuration(span.from, first) }
  })
}

function findDays(repeat: Repetition, first: number, lastDay: number): number[] {
  const until = repeat.until == null ? undefined : Date.parse(`${repeat.until}T00:00:00Z`) / DAY_MS
  const days: number[] = []
  for (const day of generateDays(repeat, first)) {
    if (until !== undefined && day > until) break
    const isTooMany = days.length === SERIES_MAX
    if (day > lastDay || isTooMany) throw createTooLongRefusal(repeat, isTooMany)
    days.push(day)
    if (days.length === repeat.count) break
  }
  if (days.length > 0) return days
  throw invalidFields({ 'repeat.until': [message`The series contains no days up to that date.`] })
}

function createTooLongRefusal({ count }: Repetition, isTooMany: boolean) {
  const field = count == null ? 'repeat.until' : 'repeat.count'
  const sentence = isTooMany
    ? message`A series has at most ${SERIES_MAX} dates.`
    : message`The last date must be within ${YEARS_MAX} years after the first.`
  return invalidFields({ [field]: [sentence] })
}

// Generates the days of a series without end. The caller stops it.
function* generateDays({ every, interval, on }: Repetition, first: number): Generator<number> {
  const step = interval ?? 1
  if (every === 'day') {
    for (let day = first; ; day += step) yield day
  }
  const weekday = getWeekday(first)
  const weekdays = [...(on ?? [weekday])].sort((a, b) => a - b)
  for (let monday = first - weekday + 1; ; monday += step * WEEK_DAYS) {
    for (const each of weekdays) if (monday + each - 1 >= first) yield monday + each - 1
  }
}

// Local times are computed in whole seconds, so this function adds back the fraction of a second.
const withFraction = (instant: string, of: string) => instant.slice(0, 20) + of.slice(20)

// Computes the end on days when a clock change would put the end before the start.
function addDuration(from: string, first: TimeRange): string {
  const lengthMs = Date.parse(`${first.to.slice(0, 19)}Z`) - Date.parse(`${first.from.slice(0, 19)}Z`)
  const to = new Date(Date.parse(`${from.slice(0, 19)}Z`) + lengthMs).toISOString()
  return withFraction(to.replace('Z', '000Z'), first.to)
}
