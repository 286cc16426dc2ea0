// Opening hours in the building's local time: their schema, and functions that check whether a booking lies entirely
// within them.
import type * as yup from 'yup'
import { fieldName, type Message, message } from '../messages/message.ts'
import { oneNumberSchema } from '../schemas/answers.ts'
import { choice, list, object, required, rule, text } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { formatLocalDateTime, getWeekday } from '../schemas/wall-clock.ts'

const OPENING_HOURS_MAX = 28
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
const WEEKDAY_PLURALS = [
  message`Mondays`,
  message`Tuesdays`,
  message`Wednesdays`,
  message`Thursdays`,
  message`Fridays`,
  message`Saturdays`,
  message`Sundays`,
]

/** The schema of a time of day such as “07:30”. The end of a day is 24:00. */
const clockTimeInput = (pattern: RegExp, last: string) =>
  text({ max: 5 }).test(
    ...rule<string>(
      'clock-time',
      (name) => message`${name} must be a time from 00:00 to ${last}.`,
      (value) => pattern.test(value),
    ),
  )

const START_PATTERN = /^([01]\d|2[0-3]):[0-5]\d$/
const END_PATTERN = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/

/** The time of day at which something begins or is due, which is never 24:00. */
export const timeOfDayInput = () => clockTimeInput(START_PATTERN, '23:59')

/** The fields of a part of a day. */
export const clockSpanFields = () => ({
  from: required(timeOfDayInput()),
  to: required(clockTimeInput(END_PATTERN, '24:00')).test(
    ...rule<string>(
      'after',
      (name) => message`${name} must be after ${fieldName('from')}.`,
      (to, { parent: { from } }) => typeof from !== 'string' || !START_PATTERN.test(from) || to > from,
    ),
  ),
})

const openSchema = object({
  day: required(
    choice(WEEKDAYS, (name) => message`${name} must be a weekday from 1 (Monday) to 7 (Sunday).`).meta({
      openapi: oneNumberSchema(WEEKDAY_NAMES),
    }),
  ),
  ...clockSpanFields(),
})
export type OpeningHours = yup.InferType<typeof openSchema>[]

export const openingHoursInput = () => notEmpty(list(required(openSchema), { max: OPENING_HOURS_MAX }))

type CheckedBooking = { bookable: { name: string }; zone: string; from: string; to: string | null }

/** Returns the message for a booking outside these hours, or undefined if the booking lies within them. */
export function checkOpeningHours(hours: OpeningHours, booking: CheckedBooking): Message | undefined {
  const { bookable, zone, from, to } = booking
  if (to === null) return message`${bookable.name} has opening hours, so its bookings need an end.`
  const weekday = findClosedWeekday(hours, zone, { from, to })
  if (weekday === undefined) return undefined
  const [name, day] = [bookable.name, WEEKDAY_PLURALS[weekday - 1] ?? weekday]
  const times = hours
    .filter((open) => open.day === weekday)
    .sort((one, other) => (one.from < other.from ? -1 : 1))
    .map((open) => message`from ${open.from} to ${open.to}`)
  if (times.length === 0) return message`${name} is closed on ${day} (${zone}).`
  const all = times.reduce((one, other) => message`${one} and ${other}`)
  return message`${name} is open ${all} on ${day} (${zone}).`
}

type BookingSql = { from: string; to: string; local(moment: string): string }

/** SQL condition that a booking is within these opening hours. Uses the building's local time, in which the
 * end may come before the start when the clocks go back. Adjacent hours count as one period. If a booking is
 * longer than a week, only one week of whole days is checked, because that covers all opening hours. */
export const isInOpeningHoursSql = (hours: string, { from, to, local }: BookingSql) =>
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

/**
 * Returns the first weekday, from 1 (Monday) to 7, on which the booking is not within the opening hours, or undefined
 * if there is none.
 */
export function findClosedWeekday(
  hours: OpeningHours,
  zone: string,
  { from, to }: { from: string; to: string },
): number | undefined {
  const times = [getLocalMinutes(from, zone), getLocalMinutes(to, zone) + (isWholeMinute(to) ? 0 : 1)]
  // When the clocks go back, the end may have an earlier local time than the start.
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const first = toDay(start)
  // A booking of a repeated hour may begin and end at the same local time, even at midnight.
  const last = Math.max(first, toDay(end - 1))
  // Stops after a week of whole days, because every weekday has been checked by then.
  for (let day = first; day <= Math.min(last, first + WEEK_DAYS); day++) {
    const opens = day === first ? start - day * DAY_MINUTES : 0
    const closes = day === last ? end - day * DAY_MINUTES : DAY_MINUTES
    const weekday = getWeekday(day)
    const isOpen = findOpenIntervals(hours, weekday).some((open) => open.from <= opens && closes <= open.to)
    if (!isOpen) return weekday
  }
  return undefined
}

/** Returns the day of an instant in local time, as the number of days since 1970. */
export const getLocalDay = (instant: string, zone: string) => toDay(getLocalMinutes(instant, zone))

/** Returns the opening hours of a weekday as intervals in minutes. Adjacent intervals are merged. */
export function findOpenIntervals(hours: OpeningHours, weekday: number): Array<{ from: number; to: number }> {
  const own = hours
    .filter(({ day }) => day === weekday)
    .map(({ from, to }) => ({ from: parseMinutes(from), to: parseMinutes(to) }))
    .sort((a, b) => a.from - b.from)
  const joined: typeof own = []
  for (const each of own) {
    const last = joined.at(-1)
    if (last && each.from <= last.to) last.to = Math.max(last.to, each.to)
    else joined.push(each)
  }
  return joined
}

/** Returns the number of minutes since midnight of a time such as “07:30”. */
export const parseMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

// Returns the number of minutes since 1970 in local time.
const getLocalMinutes = (instant: string, zone: string) =>
  Math.floor(Date.parse(`${formatLocalDateTime(instant, zone)}Z`) / 60_000)

const isWholeMinute = (instant: string) => /:00\.0+Z$/.test(instant)
const toDay = (minutes: number) => Math.floor(minutes / DAY_MINUTES)
