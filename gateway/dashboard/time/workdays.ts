// The hours that forms suggest if no time is given: office hours on the next working day.
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { addDaysToDate } from './dates.ts'

const BEGINS = '09:00'
const ENDS = '17:00'
const HOUR_MS = 3_600_000

/** Local times in the format of datetime-local fields. */
export type LocalSpan = { from: string; to: string }

/** From 9 to 17 of the next working day that has not begun. */
export function nextWorkday(now: string, zone: string): LocalSpan {
  const [today = '', time = ''] = formatLocalDateTime(now, zone).split('T')
  let date = time < BEGINS ? today : addDaysToDate(today, 1)
  while (isWeekend(date)) date = addDaysToDate(date, 1)
  return { from: `${date}T${BEGINS}`, to: `${date}T${ENDS}` }
}

/** Until the end of that working day, or one hour if it is over. */
export function untilEvening(from: string): LocalSpan {
  const evening = `${from.slice(0, 10)}T${ENDS}`
  const later = hourAfter(from)
  return { from, to: later < evening ? evening : later }
}

/** Returns the same time if there is no later hour: the year 9999 is the last one. */
export function hourAfter(from: string): string {
  const later = new Date(Date.parse(`${from}Z`) + HOUR_MS).toISOString()
  return later.startsWith('+') ? from : later.slice(0, 16)
}

function isWeekend(date: string): boolean {
  return [0, 6].includes(new Date(date).getUTCDay())
}
