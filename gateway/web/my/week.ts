// Five working days from a day on: the days that people look ahead to.
import { formatLocalDate, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { addDaysToDate } from '../pages/time/instants.ts'

/** A moment of the day, for where people sit then: now for today, noon for the others. */
type Day = { date: string; at: string; isToday: boolean }

const DAYS = 5

/** From today on, unless a later first day is given. */
export function nextWorkingDays(now: string, zone: string, first = ''): Day[] {
  const today = formatLocalDate(now, zone)
  const begin = first > today ? first : today
  const dates = Array.from({ length: DAYS + 4 }, (_, days) => addDaysToDate(begin, days))
  return dates
    .filter((date) => ![0, 6].includes(new Date(date).getUTCDay()))
    .slice(0, DAYS)
    .map((date) => {
      const isToday = date === today
      return { date, isToday, at: isToday ? now : parseLocalDateTime(`${date}T12:00`, zone, 'date') }
    })
}
