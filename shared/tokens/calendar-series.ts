// Formats the dates of a series of events as one calendar entry with a repetition rule. A date that differs from the
// others gets a separate component, whose RECURRENCE-ID names the original time of the date.
import { Refusal } from '../messages/refusal.ts'
import { formatLocalDate, getWeekday, toWallClock } from '../schemas/wall-clock.ts'
import { findOccurrences } from '../series/occurrences.ts'
import type { Repetition } from '../series/repetition.ts'
import { formatInstant } from '../utilities/date-times.ts'
import { spellTimezone } from '../utilities/time-zones.ts'
import {
  createTimeProperty,
  formatCalendarInstant,
  isClockChangeBetween,
  isRepeatedLocalTime,
  type Property,
} from './calendar-timezones.ts'

const SECOND_MS = 1_000
const DAY_MS = 24 * 3_600_000
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

export type RepeatedSeries = { repeat: Repetition; timezone: string }

export type SeriesDate = {
  /** The start of this date by the repetition rule. */
  occursAt: string
  from: string
  to: string
  /** The properties of the entry other than its times and those in `head`. */
  content: readonly Property[]
}

/**
 * Returns the properties of the components of a series: a master with the rule, and a component for each date that
 * differs from the master. All components begin with `head`. Dates that the rule includes and `dates` does not are
 * excluded (EXDATE).
 */
export function describeSeries(
  { repeat, timezone }: RepeatedSeries,
  dates: readonly SeriesDate[],
  head: readonly Property[],
): Property[][] {
  const zone = spellTimezone(timezone)
  const inOrder = [...dates].sort((one, other) => (one.occursAt < other.occursAt ? -1 : 1))
  const [first] = inOrder
  if (!first) return []
  if (inOrder.length === 1) return [[...head, ...describeTimes(first, zone), ...first.content]]
  const usual = findUsual(inOrder, zone)
  const master: Property[] = [
    ...head,
    createTimeProperty('DTSTART', first.occursAt, zone),
    // Uses a duration, because an end in local time would make a date longer or shorter when the clocks change.
    ['DURATION', `PT${usual.seconds}S`],
    ...describeRepetition(
      repeat,
      inOrder.map(({ occursAt }) => occursAt),
      zone,
    ),
    ...usual.content,
  ]
  const different = inOrder.filter((date) => !isPunctual(date, zone) || createContentKey(date) !== usual.key)
  return [master, ...different.map((date) => describeSeriesDate(date, zone, head))]
}

/** Returns the properties of a component that replaces or cancels only one date of a series. */
export const describeSeriesDate = (
  date: SeriesDate,
  timezone: string,
  head: readonly Property[],
): Property[] => {
  const zone = spellTimezone(timezone)
  return [
    ...head,
    createTimeProperty('RECURRENCE-ID', date.occursAt, zone),
    ...describeTimes(date, zone),
    ...date.content,
  ]
}

const describeTimes = ({ from, to }: SeriesDate, zone: string): Property[] => [
  createTimeProperty('DTSTART', from, zone),
  createTimeProperty('DTEND', to, zone),
]

const computeSeconds = ({ from, to }: SeriesDate) =>
  Math.floor(Date.parse(to) / SECOND_MS) - Math.floor(Date.parse(from) / SECOND_MS)

const createContentKey = (date: SeriesDate) => JSON.stringify([computeSeconds(date), date.content])

/**
 * Returns whether a date begins at the time that the rule gives it, and the clocks do not change before it ends.
 * Calendar programs disagree about the length of a repeated entry during a clock change.
 */
const isPunctual = ({ occursAt, from, to }: SeriesDate, zone: string) =>
  formatCalendarInstant(occursAt) === formatCalendarInstant(from) && !isClockChangeBetween(from, to, zone)

/** Finds the most frequent content and length of the dates, so that few dates need a separate component. */
function findUsual(dates: SeriesDate[], zone: string) {
  const punctual = dates.filter((date) => isPunctual(date, zone))
  const candidates = (punctual.length > 0 ? punctual : dates).map((date) => ({
    date,
    key: createContentKey(date),
  }))
  const counts = new Map<string, number>()
  for (const { key } of candidates) counts.set(key, (counts.get(key) ?? 0) + 1)
  const count = ({ key }: { key: string }) => counts.get(key) ?? 0
  const { date, key } = candidates.reduce((best, each) => (count(each) > count(best) ? each : best))
  return { key, content: date.content, seconds: Math.max(1, computeSeconds(date)) }
}

/** Returns the rule and the excluded dates. If no rule gives exactly these times, lists all dates instead. */
function describeRepetition(repeat: Repetition, dates: string[], zone: string): Property[] {
  const days = dates.map((each) => Math.floor(toWallClock(each, zone) / DAY_MS))
  const weekdays = [...new Set(days.map(getWeekday))].sort()
  const rule = {
    every: repeat.every,
    interval: repeat.interval ?? 1,
    ...(repeat.every === 'week' && { on: weekdays }),
  }
  const [first = ''] = dates
  const last = dates.at(-1) ?? first
  const ruled = findRuledDates(first, { ...rule, until: formatLocalDate(last, zone) }, zone)
  const wanted = new Set(dates.map(formatCalendarInstant))
  const isExact =
    ruled !== undefined &&
    isSubset(wanted, new Set(ruled.map(formatCalendarInstant))) &&
    ruled.every((each) => isRegular(each, first, zone))
  // Lists the first date too. Otherwise, ical.js leaves it out, which Thunderbird uses.
  if (!isExact) return dates.map((each) => createTimeProperty('RDATE', each, zone))
  const parts = [
    `FREQ=${rule.every === 'week' ? 'WEEKLY' : 'DAILY'}`,
    ...(rule.interval > 1 ? [`INTERVAL=${rule.interval}`] : []),
    ...(rule.on ? [`BYDAY=${rule.on.map((day) => WEEKDAYS[day - 1])}`] : []),
    `UNTIL=${formatCalendarInstant(last)}`,
  ]
  const excluded = ruled.filter((each) => !wanted.has(formatCalendarInstant(each)))
  return [['RRULE', parts.join(';')], ...excluded.map((each) => createTimeProperty('EXDATE', each, zone))]
}

const isSubset = (some: Set<string>, all: Set<string>) => [...some].every((each) => all.has(each))

/**
 * Returns whether a date has the same local time as the first date, and this local time occurs only once on that day.
 */
const isRegular = (date: string, first: string, zone: string) =>
  (toWallClock(date, zone) - toWallClock(first, zone)) % DAY_MS === 0 && !isRepeatedLocalTime(date, zone)

/**
 * Returns the dates of a rule. Returns undefined if there are too many, because the dates no longer match the former
 * rule.
 */
function findRuledDates(first: string, rule: Repetition, zone: string): string[] | undefined {
  const ms = Math.floor(Date.parse(first) / SECOND_MS) * SECOND_MS
  try {
    const span = { from: formatInstant(ms), to: formatInstant(ms + SECOND_MS) }
    return findOccurrences(span, zone, rule).map(({ from }) => from)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
