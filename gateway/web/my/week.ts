// The five working days from a given day on, which is how far people look ahead.
import { formatLocalDate, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { addDaysToDate } from '../pages/time/instants.ts'

/** `at` is the moment for which pages say where people sit: now for today, noon for other days. */
type Day = { date: string; at: string; isToday: boolean }

const DAYS = 5

/** Begins today, unless `first` is later. */
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
