// The time that a user wants to book. The page's address contains it in the building's time zone. Defaults to
// office hours on the next working day.
import { isAfterField } from '../../../../shared/schemas/inputs.ts'
import {
  formatLocalDateTime,
  fromWallClock,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { localDateTime } from './fields.ts'
import { addDaysToDate } from './instants.ts'

const OFFICE_HOURS_BEGIN = '09:00'
const OFFICE_HOURS_END = '17:00'
const HOUR_MS = 3_600_000

export const requestedTimeQuery = { from: localDateTime(), to: localDateTime().test(...isAfterField('from')) }

export type LocalTimeRange = { from: string; to: string }
export type RequestedTime = { from: string; to: string; zone: string; local: LocalTimeRange }
type TimeQuery = { from?: string | undefined; to?: string | undefined }

export function parseRequestedTime(asked: TimeQuery, zone: string, now: string): RequestedTime {
  const local = completeSpan(asked, zone, now)
  return {
    from: parseLocalDateTime(local.from, zone, 'from'),
    to: parseLocalDateTime(local.to, zone, 'to'),
    zone,
    local,
  }
}

export function toLocalTimeRange(
  { from, to }: Pick<RequestedTime, 'from' | 'to'>,
  zone: string,
): LocalTimeRange {
  return { from: formatLocalDateTime(from, zone), to: formatLocalDateTime(to, zone) }
}

function completeSpan({ from, to }: TimeQuery, zone: string, now: string): LocalTimeRange {
  if (from !== undefined) return to === undefined ? createRangeUntilEvening(from, zone) : { from, to }
  const proposed = findNextWorkday(now, zone)
  return to !== undefined && to > proposed.from ? { ...proposed, to } : proposed
}

/** Returns office hours of the next working day that has not begun yet. */
function findNextWorkday(now: string, zone: string): LocalTimeRange {
  const [today = '', time = ''] = formatLocalDateTime(now, zone).split('T')
  let date = time < OFFICE_HOURS_BEGIN ? today : addDaysToDate(today, 1)
  while (isWeekend(date)) date = addDaysToDate(date, 1)
  return { from: `${date}T${OFFICE_HOURS_BEGIN}`, to: `${date}T${OFFICE_HOURS_END}` }
}

/** Returns a time for a meeting: the next full hour within working hours, with the usual duration of meetings. */
export function findNextWorkingHour(now: string, zone: string): LocalTimeRange {
  const hour = addOneHour(`${formatLocalDateTime(now, zone).slice(0, 13)}:00`)
  const [date = '', time = ''] = hour.split('T')
  const isWorkingHour = OFFICE_HOURS_BEGIN <= time && time < OFFICE_HOURS_END && !isWeekend(date)
  const from = isWorkingHour ? hour : findNextWorkday(now, zone).from
  return { from, to: addOneHour(from) }
}

const isWeekend = (date: string) => [0, 6].includes(new Date(date).getUTCDay())

/**
 * Returns the time from `from` until the end of that working day, or one hour if the working day is over. If the clocks
 * skip the end, returns the time that they show instead.
 */
export function createRangeUntilEvening(from: string, zone: string): LocalTimeRange {
  const evening = `${from.slice(0, 10)}T${OFFICE_HOURS_END}`
  const later = addOneHour(from)
  if (later < evening) return { from, to: evening }
  return { from, to: formatLocalDateTime(fromWallClock(Date.parse(`${later}Z`), zone), zone) }
}

/** Returns the time an hour later. Returns the same time if there is no later hour, because the year 9999 is
 * the last one. */
export function addOneHour(from: string): string {
  const later = new Date(Date.parse(`${from}Z`) + HOUR_MS).toISOString()
  return later.startsWith('+') ? from : later.slice(0, 16)
}
