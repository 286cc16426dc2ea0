// The time that a user wants to book, in the page's address and in the building's time zone. Proposes a time
// if none is given.
import { after } from '../../../shared/schemas/comparisons.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { localDateTime } from '../time/fields.ts'
import { type LocalSpan, nextWorkday, untilEvening } from '../time/workdays.ts'

export const requestedTimeQuery = { from: localDateTime(), to: localDateTime().test(...after('from')) }

type Asked = { from?: string | undefined; to?: string | undefined }

export type RequestedTime = { from: string; to: string; zone: string; local: LocalSpan }

export function parseRequestedTime(asked: Asked, zone: string, now: string): RequestedTime {
  const local = completeSpan(asked, zone, now)
  return {
    from: parseLocalDateTime(local.from, zone, 'from'),
    to: parseLocalDateTime(local.to, zone, 'to'),
    zone,
    local,
  }
}

/** Converts the time to another time zone. */
export function localTimeOf({ from, to }: Pick<RequestedTime, 'from' | 'to'>, zone: string): LocalSpan {
  return { from: formatLocalDateTime(from, zone), to: formatLocalDateTime(to, zone) }
}

function completeSpan({ from, to }: Asked, zone: string, now: string): LocalSpan {
  if (from !== undefined) return to === undefined ? untilEvening(from) : { from, to }
  const proposed = nextWorkday(now, zone)
  return to !== undefined && to > proposed.from ? { ...proposed, to } : proposed
}
