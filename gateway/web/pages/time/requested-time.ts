// The time that a user wants to book, in the page's address and in the building's time zone. Proposes office
// hours on the next working day if none is given.
import { after } from '../../../../shared/schemas/inputs.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { localDateTime } from './fields.ts'
import { addDaysToDate } from './instants.ts'

const BEGINS = '09:00'
const ENDS = '17:00'
const HOUR_MS = 3_600_000

export const requestedTimeQuery = { from: localDateTime(), to: localDateTime().test(...after('from')) }

export type LocalTimeRange = { from: string; to: string }
export type RequestedTime = { from: string; to: string; zone: string; local: LocalTimeRange }
type Asked = { from?: string | undefined; to?: string | undefined }

export function parseRequestedTime(asked: Asked, zone: string, now: string): RequestedTime {
  const local = completeSpan(asked, zone, now)
  return {
    from: parseLocalDateTime(local.from, zone, 'from'),
    to: parseLocalDateTime(local.to, zone, 'to'),
    zone,
    local,
  }
}

export function localTimeOf({ from, to }: Pick<RequestedTime, 'from' | 'to'>, zone: string): LocalTimeRange {
  return { from: formatLocalDateTime(from, zone), to: formatLocalDateTime(to, zone) }
}

function completeSpan({ from, to }: Asked, zone: string, now: string): LocalTimeRange {
  if (from !== undefined) return to === undefined ? untilEvening(from) : { from, to }
  const proposed = nextWorkday(now, zone)
  return to !== undefined && to > proposed.from ? { ...proposed, to } : proposed
}

/** Of the next working day that has not begun. */
function nextWorkday(now: string, zone: string): LocalTimeRange {
  const [today = '', time = ''] = formatLocalDateTime(now, zone).split('T')
  let date = time < BEGINS ? today : addDaysToDate(today, 1)
  while (isWeekend(date)) date = addDaysToDate(date, 1)
  return { from: `${date}T${BEGINS}`, to: `${date}T${ENDS}` }
}

/** For a meeting: the next full hour within working hours, and how long meetings usually are. */
export function nextWorkingHour(now: string, zone: string): LocalTimeRange {
  const hour = hourAfter(`${formatLocalDateTime(now, zone).slice(0, 13)}:00`)
  const [date = '', time = ''] = hour.split('T')
  const isWorkingHour = BEGINS <= time && time < ENDS && !isWeekend(date)
  const from = isWorkingHour ? hour : nextWorkday(now, zone).from
  return { from, to: hourAfter(from) }
}

const isWeekend = (date: string) => [0, 6].includes(new Date(date).getUTCDay())

/** Until the end of that working day, or one hour if it is over. */
export function untilEvening(from: string): LocalTimeRange {
  const evening = `${from.slice(0, 10)}T${ENDS}`
  const later = hourAfter(from)
  return { from, to: later < evening ? evening : later }
}

/** Returns the same time if there is no later hour: the year 9999 is the last one. */
export function hourAfter(from: string): string {
  const later = new Date(Date.parse(`${from}Z`) + HOUR_MS).toISOString()
  return later.startsWith('+') ? from : later.slice(0, 16)
}
