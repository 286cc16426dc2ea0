// The time that somebody wants to book: a day and hours in the time zone of the place. The default hours are
// the whole time that the place is open that day, or office hours if that is longer than a working day. The
// default day is today, or the next working day once today is nearly over.
import type * as yup from 'yup'
import { findOpenIntervals, type OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { type RulePlace, ruleInForceSql } from '../../../../shared/rules/rules-shape.ts'
import { findLongestSlotSpan, type Slot } from '../../../../shared/rules/slots.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../../shared/schemas/inputs.ts'
import {
  findStartOfDay,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { column, flagColumn } from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import { END_OF_DAY, localDate, localTime } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate, formatTime } from '../../pages/time/instants.ts'
import { formatMinute } from '../../pages/time/intervals.ts'
import { addOneHour, findNextWorkingHour } from '../../pages/time/requested-time.ts'

export const timeQuery = {
  date: localDate(),
  from: localTime(),
  to: localTime({ mayEndDay: true }).test(...isAfterField('from')),
}
const query = object(timeQuery)
type TimeQuery = yup.InferType<typeof query>

export type OpenHours = { from: string; to: string }
const OFFICE_HOURS: OpenHours = { from: '09:00', to: '17:00' }
const SEARCHED_DAYS = 14
const FAR_AFTER_DAYS = 180

/** The time zone of a place, and the opening hours and slots that apply to it. */
export type PlaceHours = {
  zone: string
  hours: OpeningHours | null
  slots: Slot[] | null
  /** Whether each booking must be whole slots. */
  slotOnly: boolean
}

export const slotOnlySql = (place: RulePlace) =>
  `coalesce((${ruleInForceSql(place, 'slot_only')} #>> '{}')::boolean, false)`

/** The opening hours and slots that apply to a place. */
export const createPlaceHoursColumns = (place: RulePlace) => ({
  hours: column<OpeningHours | null>(ruleInForceSql(place, 'opening_hours')),
  slots: column<Slot[] | null>(ruleInForceSql(place, 'slots')),
  slotOnly: flagColumn(slotOnlySql(place)),
})

/** The time to book, which may already be in the past. If `isNow` is set, it begins at once. */
export type WantedTime = {
  date: string
  from: string
  to: string
  zone: string
  isNow: boolean
  /** Whether the time is so far away that its year must be shown. */
  isFar: boolean
  /** The time to book as query parameters of a page. */
  query: { date: string; from: string; to: string }
}

export function findWantedTime(
  query: TimeQuery,
  place: PlaceHours,
  now: string,
  isShort = false,
): WantedTime {
  const { zone, hours } = place
  const clock = formatLocalDateTime(now, zone)
  const slots = place.slotOnly ? place.slots : null
  const asked = slots && !isSlotEdge(slots, query) ? { date: query.date } : query
  const local = slots
    ? proposeSlots(asked, { slots, hours }, clock)
    : isShort && !asked.from
      ? proposeHour(asked, zone, now)
      : proposeWholeDay(asked, hours, clock)
  const { date } = local
  const from = asked.from ?? local.from
  const later = [asked.to, local.to].find((each) => each !== undefined && each > from)
  const to = later ?? addHourToTime(from)
  // A booking of whole slots keeps the start of its first slot.
  const isNow = !slots && `${date}T${from}` <= clock
  const until =
    to === END_OF_DAY
      ? findStartOfDay(addDaysToDate(date, 1), zone)
      : parseLocalDateTime(`${date}T${to}`, zone, 'to')
  const begins = parseLocalDateTime(`${date}T${from}`, zone, 'from')
  const isOver = until <= now
  const isFar =
    date < addDaysToDate(clock.slice(0, 10), -FAR_AFTER_DAYS) ||
    date > addDaysToDate(clock.slice(0, 10), FAR_AFTER_DAYS)
  const span = { from: isNow && !isOver ? now : begins, to: until, zone }
  return { date, ...span, isNow, isFar, query: { date, from, to } }
}

/** Returns the query of a page for this time. */
export function toTimeQuery(span: { from: string; to: string }, zone: string): WantedTime['query'] {
  const [date = '', from = ''] = formatLocalDateTime(span.from, zone).split('T')
  const to = formatLocalDateTime(span.to, zone).slice(11, 16)
  return { date, from: from.slice(0, 5), to: to === '00:00' ? END_OF_DAY : to }
}

/**
 * Returns a time that starts now, in this zone. A meeting keeps its duration; a desk is booked for the default time of
 * the day.
 */
export function findTimeStartingNow(
  asked: TimeQuery,
  clocks: PlaceHours,
  now: string,
  isShort: boolean,
): TimeQuery {
  if (!isShort) return {}
  const next = findHourFromNow(clocks, now)
  const { from, to } = asked
  if (!from || !to) return next
  const end = new Date(parseClockMs(next.from) + parseClockMs(to) - parseClockMs(from)).toISOString()
  return { ...next, to: end.startsWith('1970-01-01') ? end.slice(11, 16) : END_OF_DAY }
}

/** Returns the 60 minutes that start with the current minute. */
export function findHourFromNow({ zone }: Pick<PlaceHours, 'zone'>, now: string) {
  const [date = '', from = ''] = formatLocalDateTime(now, zone).slice(0, 16).split('T')
  return { date, from, to: addHourToTime(from) }
}

/** Returns the days to choose from: the days from today on when the place is open. */
export function listNextOpenDays(
  { zone, hours }: Pick<PlaceHours, 'zone' | 'hours'>,
  now: string,
  count: number,
): string[] {
  const today = formatLocalDateTime(now, zone).slice(0, 10)
  return listDays(today)
    .filter((date) => findOpenHours(date, hours))
    .slice(0, count)
}

/** Formats hours, such as “09–17” or “09:30–11”. */
export const formatShortSpan = ({ from, to }: OpenHours) => `${formatShortTime(from)}–${formatShortTime(to)}`

const formatShortTime = (time: string) => (time.endsWith(':00') ? time.slice(0, 2) : time)

const NOON = '13:00'
const SHORT_HOURS = [1, 2]

/** Lists the usual times of a place: the whole day and its halves, or an hour and two from the wanted start. */
export function listUsualSpans(
  { date, query }: Pick<WantedTime, 'date' | 'query'>,
  { hours }: Pick<PlaceHours, 'hours'>,
  isShort: boolean,
): Array<OpenHours & { label: string }> {
  const open = findOpenHours(date, hours) ?? OFFICE_HOURS
  const halves = [
    { label: t`All day`, ...open },
    { label: t`Morning`, from: open.from, to: NOON },
    { label: t`Afternoon`, from: NOON, to: open.to },
  ]
  const { from } = query
  const short = SHORT_HOURS.map((count) => ({ label: '', from, to: addHoursToTime(from, count) }))
  return (isShort ? short : halves).filter((span) => span.from < span.to)
}

const addHoursToTime = (time: string, count: number): string =>
  count === 0 ? time : addHoursToTime(addHourToTime(time), count - 1)

/** Formats a time, such as “Thu 26 Nov, 09:00 – 17:00”. */
export const formatWantedTime = ({ date, from, to, zone, isFar }: WantedTime) =>
  `${formatDate(date, isFar ? 'weekdayOfYear' : 'weekday')}, ${formatTime(from, zone)} – ${formatTime(to, zone)}`

function proposeWholeDay({ date, from }: TimeQuery, hours: OpeningHours | null, clock: string) {
  const [today = '', time = ''] = clock.split('T')
  const chosen = date ?? proposeDay(hours, today, time)
  const open = findOpenHours(chosen, hours) ?? OFFICE_HOURS
  if (chosen !== today || open.from > time) return { date: chosen, ...open }
  const begins = from ?? time
  const evening = open.to > begins ? open.to : addHourToTime(begins)
  return { date: chosen, from: begins, to: evening }
}

/** Proposes all slots of a day that follow each other: today's from the current slot on. */
function proposeSlots(
  { date }: TimeQuery,
  { slots, hours }: { slots: Slot[]; hours: OpeningHours | null },
  clock: string,
) {
  const [today = '', time = ''] = clock.split('T')
  const isLeft = (day: string) => findLongestSlotSpan(slots, day === today ? time : undefined) !== undefined
  const chosen = date ?? listDays(today).find((day) => findOpenHours(day, hours) && isLeft(day)) ?? today
  const left = chosen === today ? findLongestSlotSpan(slots, time) : undefined
  return { date: chosen, ...(left ?? findLongestSlotSpan(slots) ?? OFFICE_HOURS) }
}

const isSlotEdge = (slots: Slot[], { from, to }: TimeQuery) =>
  slots.some((slot) => slot.from === from) && slots.some((slot) => slot.to === to)

const listDays = (today: string) =>
  Array.from({ length: SEARCHED_DAYS }, (_none, day) => addDaysToDate(today, day))

/** Proposes an hour, which is the default for a meeting. */
function proposeHour({ date }: TimeQuery, zone: string, now: string) {
  const next = findNextWorkingHour(now, zone)
  const [day = '', from = ''] = next.from.split('T')
  if (date === undefined || date === day) return { date: day, from, to: next.to.slice(11, 16) }
  return { date, from: '10:00', to: '11:00' }
}

// Proposes a day: today, or the next open day if less than an hour of today is left, which nobody would book.
function proposeDay(hours: OpeningHours | null, today: string, time: string): string {
  const fits = (day: string) => {
    const open = findOpenHours(day, hours)
    return open !== undefined && (day !== today || addHourToTime(time) <= open.to)
  }
  return listDays(today).find(fits) ?? today
}

const addHourToTime = (time: string) => {
  const later = addOneHour(`2026-01-01T${time}`)
  return later.startsWith('2026-01-01') ? later.slice(11, 16) : END_OF_DAY
}

/** Returns the longest period of a day during which the place is open without a break. If there are no
 * opening hours, returns office hours from Monday to Friday. */
export function findOpenHours(date: string, hours: OpeningHours | null): OpenHours | undefined {
  const weekday = new Date(date).getUTCDay() || 7
  if (hours === null) return weekday < 6 ? OFFICE_HOURS : undefined
  const [longest] = findOpenIntervals(hours, weekday).sort((a, b) => b.to - b.from - (a.to - a.from))
  return longest && limitToWorkingDay({ from: formatMinute(longest.from), to: formatMinute(longest.to) })
}

// The maximum length of a proposed day: nobody works from 6 to 22 just because the building is open, and a rule may
// refuse such long bookings.
const WORKING_DAY_MS_MAX = 11 * 3_600_000

function limitToWorkingDay(open: OpenHours): OpenHours {
  if (computeDurationMs(open) <= WORKING_DAY_MS_MAX) return open
  const from = open.from > OFFICE_HOURS.from ? open.from : OFFICE_HOURS.from
  const to = open.to < OFFICE_HOURS.to ? open.to : OFFICE_HOURS.to
  return from < to ? { from, to } : open
}

const parseClockMs = (time: string) => Date.parse(`1970-01-01T${time}Z`)
const computeDurationMs = ({ from, to }: OpenHours) => parseClockMs(to) - parseClockMs(from)
