// When somebody wants to book: a day and a time on the clocks of the place. Without a time it is the whole day, as long
// as the place is open, or office hours if that is longer than a working day. Without a day it is today, or the next
// working day once today is nearly over.
import type * as yup from 'yup'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { after } from '../../../../shared/schemas/inputs.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { END_OF_DAY, localDate, localTime } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate, formatTime } from '../../pages/time/instants.ts'
import { hourAfter, nextWorkingHour } from '../../pages/time/requested-time.ts'

export const timeQuery = {
  date: localDate(),
  from: localTime(),
  to: localTime({ mayEndDay: true }).test(...after('from')),
}
const query = object(timeQuery)
type TimeQuery = yup.InferType<typeof query>

type Hours = { from: string; to: string }
const OFFICE_HOURS: Hours = { from: '09:00', to: '17:00' }
const LAST_DAYS = 14
const FAR_DAYS = 180

/** The time zone of a place, and its opening hours in force. */
export type Clocks = { zone: string; hours: OpeningHours | null }

/** With `isNow`, the time begins at once. The time may already be over. */
export type WantedTime = {
  date: string
  from: string
  to: string
  zone: string
  isNow: boolean
  /** So far away that its day and month alone would not say which year is meant. */
  isFar: boolean
  /** The time as query parameters of a page. */
  query: { date: string; from: string; to: string }
}

export function findWantedTime(
  asked: TimeQuery,
  { zone, hours }: Clocks,
  now: string,
  isShort = false,
): WantedTime {
  const clock = formatLocalDateTime(now, zone)
  const local = isShort && !asked.from ? shortSpan(asked, zone, now) : wholeDay(asked, hours, clock)
  const { date } = local
  const from = asked.from ?? local.from
  const later = [asked.to, local.to].find((each) => each !== undefined && each > from)
  const to = later ?? clockAfter(from)
  const isNow = `${date}T${from}` <= clock
  const end = to === END_OF_DAY ? `${addDaysToDate(date, 1)}T00:00` : `${date}T${to}`
  const until = parseLocalDateTime(end, zone, 'to')
  const begins = parseLocalDateTime(`${date}T${from}`, zone, 'from')
  const isOver = until <= now
  const isFar =
    date < addDaysToDate(clock.slice(0, 10), -FAR_DAYS) || date > addDaysToDate(clock.slice(0, 10), FAR_DAYS)
  const span = { from: isNow && !isOver ? now : begins, to: until, zone }
  return { date, ...span, isNow, isFar, query: { date, from, to } }
}

/** The current time in this zone: a meeting keeps its length, and a desk is booked for the day as the page first proposes it. */
export function startNow(asked: TimeQuery, clocks: Clocks, now: string, isShort: boolean): TimeQuery {
  if (!isShort) return {}
  const next = nextHour(clocks, now)
  const { from = '', to = '' } = asked
  const end = new Date(clockMs(next.from) + clockMs(to) - clockMs(from)).toISOString()
  return { ...next, to: end.startsWith('1970-01-01') ? end.slice(11, 16) : END_OF_DAY }
}

/** The hour that begins with this minute. */
export function nextHour({ zone }: Clocks, now: string) {
  const [date = '', from = ''] = formatLocalDateTime(now, zone).slice(0, 16).split('T')
  return { date, from, to: clockAfter(from) }
}

/** The days to choose from: from today on, those when the place is open. */
export function nextDays({ zone, hours }: Clocks, now: string, count: number): string[] {
  const today = formatLocalDateTime(now, zone).slice(0, 10)
  return Array.from({ length: LAST_DAYS }, (_none, day) => addDaysToDate(today, day))
    .filter((date) => openOn(date, hours))
    .slice(0, count)
}

/** “Thu 26 Nov, 09:00 – 17:00” */
export const formatWanted = ({ date, from, to, zone, isFar }: WantedTime) =>
  `${formatDate(date, isFar ? 'weekdayOfYear' : 'weekday')}, ${formatTime(from, zone)} – ${formatTime(to, zone)}`

function wholeDay({ date, from }: TimeQuery, hours: OpeningHours | null, clock: string) {
  const [today = '', time = ''] = clock.split('T')
  const chosen = date ?? proposeDay(hours, today, time)
  const open = openOn(chosen, hours) ?? OFFICE_HOURS
  if (chosen !== today || open.from > time) return { date: chosen, ...open }
  const begins = from ?? time
  const evening = open.to > begins ? open.to : clockAfter(begins)
  return { date: chosen, from: begins, to: evening }
}

/** Proposes an hour, for a meeting. */
function shortSpan({ date }: TimeQuery, zone: string, now: string) {
  const next = nextWorkingHour(now, zone)
  const [day = '', from = ''] = next.from.split('T')
  if (date === undefined || date === day) return { date: day, from, to: next.to.slice(11, 16) }
  return { date, from: '10:00', to: '11:00' }
}

// Within an hour of its end, nobody books the rest of a day.
function proposeDay(hours: OpeningHours | null, today: string, time: string): string {
  const days = Array.from({ length: LAST_DAYS }, (_none, day) => addDaysToDate(today, day))
  const fits = (day: string) => {
    const open = openOn(day, hours)
    return open !== undefined && (day !== today || clockAfter(time) <= open.to)
  }
  return days.find(fits) ?? today
}

const clockAfter = (time: string) => {
  const later = hourAfter(`2026-01-01T${time}`)
  return later.startsWith('2026-01-01') ? later.slice(11, 16) : END_OF_DAY
}

/** The longest time without a break; without opening hours, office hours from Monday to Friday. */
function openOn(date: string, hours: OpeningHours | null): Hours | undefined {
  const weekday = new Date(date).getUTCDay() || 7
  if (hours === null) return weekday < 6 ? OFFICE_HOURS : undefined
  const [longest] = hours.filter(({ day }) => day === weekday).sort((a, b) => lengthOf(b) - lengthOf(a))
  return longest && workingDay(longest)
}

// Nobody works from 6 to 22 just because the building is open, and a rule may refuse such long bookings.
const WORKING_DAY_MAX_MS = 11 * 3_600_000

function workingDay(open: Hours): Hours {
  if (lengthOf(open) <= WORKING_DAY_MAX_MS) return open
  const from = open.from > OFFICE_HOURS.from ? open.from : OFFICE_HOURS.from
  const to = open.to < OFFICE_HOURS.to ? open.to : OFFICE_HOURS.to
  return from < to ? { from, to } : open
}

const clockMs = (time: string) => Date.parse(`1970-01-01T${time}Z`)
const lengthOf = ({ from, to }: Hours) => clockMs(to) - clockMs(from)
