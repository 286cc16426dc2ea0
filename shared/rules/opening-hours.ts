// Opening hours, in the building's local time: what they are, and whether a time lies entirely within them.
import type * as yup from 'yup'
import { field, type Message, message } from '../messages/message.ts'
import { numbersOf } from '../schemas/answers.ts'
import { choice, list, object, required, rule, text } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { formatLocalDateTime, weekdayOf } from '../schemas/wall-clock.ts'

const HOURS_MAX = 28
const DAY_MINUTES = 24 * 60
const WEEK_DAYS = 7

export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
export const WEEKDAY_NAMES = {
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
  sunday: 7,
}
const NAMES = [
  message`Mondays`,
  message`Tuesdays`,
  message`Wednesdays`,
  message`Thursdays`,
  message`Fridays`,
  message`Saturdays`,
  message`Sundays`,
]

/** A time on a wall clock: “07:30”. A day ends at 24:00. */
const clockTime = (pattern: RegExp, last: string) =>
  text({ max: 5 }).test(
    ...rule<string>(
      'clock-time',
      (name) => message`${name} must be a time from 00:00 to ${last}.`,
      (value) => pattern.test(value),
    ),
  )

const START = /^([01]\d|2[0-3]):[0-5]\d$/
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/

/** When something begins or is due: never 24:00. */
export const timeOfDay = () => clockTime(START, '23:59')

const openSchema = object({
  day: required(
    choice(WEEKDAYS, (name) => message`${name} must be a weekday from 1 (Monday) to 7 (Sunday).`).meta({
      openapi: numbersOf(WEEKDAY_NAMES),
    }),
  ),
  from: required(timeOfDay()),
  to: required(clockTime(END, '24:00')).test(
    ...rule<string>(
      'after',
      (name) => message`${name} must be after ${field('from')}.`,
      (to, { parent: { from } }) => typeof from !== 'string' || !START.test(from) || to > from,
    ),
  ),
})
export type OpeningHours = yup.InferType<typeof openSchema>[]

export const openingHours = () => notEmpty(list(required(openSchema), { max: HOURS_MAX }))

type Booking = { bookable: { name: string }; zone: string; from: string; to: string | null }

/** The sentence for a booking outside these hours. */
export function checkOpeningHours(hours: OpeningHours, booking: Booking): Message | undefined {
  const { bookable, zone, from, to } = booking
  if (to === null) return message`${bookable.name} has opening hours, so a booking of it needs an end.`
  const weekday = findClosedWeekday(hours, zone, { from, to })
  if (weekday === undefined) return undefined
  const [name, day] = [bookable.name, NAMES[weekday - 1] ?? weekday]
  const times = hours
    .filter((open) => open.day === weekday)
    .sort((one, other) => (one.from < other.from ? -1 : 1))
    .map((open) => message`from ${open.from} to ${open.to}`)
  if (times.length === 0) return message`${name} is closed on ${day} (${zone}).`
  const all = times.reduce((one, other) => message`${one} and ${other}`)
  return message`${name} is open ${all} on ${day} (${zone}).`
}

type Requested = { from: string; to: string; local(moment: string): string }

/**
 * SQL: the same. Uses the clocks of the building, on which the end may come before the start when an hour
 * occurs twice. Adjacent hours count as one span. A week of whole days covers all opening hours.
 */
export const isInOpeningHours = (hours: string, { from, to, local }: Requested) =>
  `${to} IS NOT NULL AND coalesce((
      SELECT range_agg(tsrange(day::date + (hours ->> 'from')::time, day::date + (hours ->> 'to')::time))
          @> tsrange(asked.opens, asked.closes, CASE WHEN asked.opens = asked.closes THEN '[]' ELSE '[)' END)
      FROM (SELECT opens, least(closes, opens::date + interval '8 days') AS closes FROM (
          SELECT least(a, b) AS opens, greatest(a, b) AS closes
          FROM (SELECT ${local(from)} AS a, ${local(to)} AS b) AS clocks
        ) AS in_order) AS asked,
        generate_series(asked.opens::date, asked.closes::date, interval '1 day') AS day,
        json_array_elements(${hours}) AS hours
      WHERE (hours ->> 'day')::int = extract(isodow FROM day)
      GROUP BY asked.opens, asked.closes
    ), false)`

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
    const opens = day === first ? start - day * DAY_MINUTES : 0
    const closes = day === last ? end - day * DAY_MINUTES : DAY_MINUTES
    const weekday = weekdayOf(day)
    const isOpen = intervalsOf(hours, weekday).some((open) => open.from <= opens && closes <= open.to)
    if (!isOpen) return weekday
  }
  return undefined
}

/** Days since 1970 in local time. */
export const localDay = (instant: string, zone: string) => dayOf(wallMinutes(instant, zone))

/** In minutes. Adjacent intervals are merged. */
export function intervalsOf(hours: OpeningHours, weekday: number): Array<{ from: number; to: number }> {
  const own = hours
    .filter(({ day }) => day === weekday)
    .map(({ from, to }) => ({ from: minutesOf(from), to: minutesOf(to) }))
    .sort((a, b) => a.from - b.from)
  const joined: typeof own = []
  for (const each of own) {
    const last = joined.at(-1)
    if (last && each.from <= last.to) last.to = Math.max(last.to, each.to)
    else joined.push(each)
  }
  return joined
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

// Minutes since 1970 in local time.
const wallMinutes = (instant: string, zone: string) =>
  Math.floor(Date.parse(`${formatLocalDateTime(instant, zone)}Z`) / 60_000)

const isWholeMinute = (instant: string) => /:00\.0+Z$/.test(instant)
const dayOf = (minutes: number) => Math.floor(minutes / DAY_MINUTES)
