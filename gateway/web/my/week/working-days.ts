// Lists the working days that pages show: five days from a given day on, or this week and the next.
import { formatLocalDate, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'

/** `at` is the time for which pages show where people sit: the current time for today, and noon for other days. */
export type WorkingDay = { date: string; at: string; isToday: boolean }

const SHOWN_DAYS = 5
const WEEK_DAYS = 7

/** Returns the working days starting today, or starting on `first` if that is later. */
export function listNextWorkingDays(now: string, zone: string, first = ''): WorkingDay[] {
  const today = formatLocalDate(now, zone)
  const begin = first > today ? first : today
  const dates = Array.from({ length: SHOWN_DAYS + 4 }, (_, days) => addDaysToDate(begin, days))
  return dates
    .filter(isWorkingDay)
    .slice(0, SHOWN_DAYS)
    .map((date) => toWorkingDay(date, now, zone))
}

/**
 * Returns the working days of this week that are not over, and those of the next week. At a weekend, the next two
 * weeks.
 */
export function listTwoWeeks(now: string, zone: string): WorkingDay[][] {
  const today = formatLocalDate(now, zone)
  const first = isWorkingDay(today) ? findMonday(today) : addDaysToDate(findMonday(today), WEEK_DAYS)
  return [first, addDaysToDate(first, WEEK_DAYS)].map((monday) =>
    listWeekdays(monday)
      .filter((date) => date >= today)
      .map((date) => toWorkingDay(date, now, zone)),
  )
}

/** Returns the dates of the working days of a week that begins on this Monday. */
export const listWeekdays = (monday: string): string[] =>
  Array.from({ length: SHOWN_DAYS }, (_, days) => addDaysToDate(monday, days))

/** Returns the Monday of the week that has this date. */
export const findMonday = (date: string): string =>
  addDaysToDate(date, 1 - (new Date(date).getUTCDay() || WEEK_DAYS))

const isWorkingDay = (date: string) => ![0, 6].includes(new Date(date).getUTCDay())

function toWorkingDay(date: string, now: string, zone: string): WorkingDay {
  const isToday = date === formatLocalDate(now, zone)
  return { date, isToday, at: isToday ? now : parseLocalDateTime(`${date}T12:00`, zone, 'date') }
}
