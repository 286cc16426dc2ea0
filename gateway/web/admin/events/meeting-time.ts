// The time of an event while it is edited: in the page's address until it is saved, in its own time zones.
import type { Message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import type { Call } from '../../pages/page/page.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { hourAfter, type LocalTimeRange, nextWorkingHour } from '../../pages/time/requested-time.ts'
import type { EventDetails } from './queries.ts'

export const meetingTimeQuery = {
  from: localDateTime(),
  to: localDateTime(),
  zone: timezone(),
  end_zone: timezone(),
}
const enteredTime = object(meetingTimeQuery)
type Entered = typeof enteredTime.__outputType

export type MeetingTime = {
  /** The event's current time, or the one proposed for a new event. */
  saved: LocalTimeRange & { zone: string; endZone: string }
  /** The time entered; the end zone is empty if it is the same as the start zone. */
  entered: LocalTimeRange & { zone: string; endZone: string }
  span: { from: string; to: string } | undefined
  problem: Message | undefined
}

/** `zone` is the default for an event that has none yet. */
export function meetingTimeOf(call: Call<unknown, Entered>, zone: string, present: EventDetails | undefined) {
  const saved = currentTime(call.now, zone, present)
  const asked = parseEntered(call)
  const entered = asked ? fillInDefaults(asked, saved) : saved
  return { saved, entered, ...spanOf(asked && entered, present) }
}

function currentTime(now: string, zone: string, present?: EventDetails): MeetingTime['saved'] {
  if (!present) return { ...nextWorkingHour(now, zone), zone, endZone: '' }
  const { from, to, fromZone, toZone } = present
  return {
    from: formatLocalDateTime(from, fromZone),
    to: formatLocalDateTime(to, toZone),
    zone: fromZone,
    endZone: toZone === fromZone ? '' : toZone,
  }
}

/** The time from a refused form, else from the page's address; undefined if it is invalid. */
function parseEntered({ refusedForm, query }: Call<unknown, Entered>): Entered | undefined {
  if (!refusedForm) return query
  const typed = (name: string) => refusedForm.values[name]?.[0] || undefined
  const zone = typed('from_timezone')
  const times = {
    from: typed('from_time'),
    to: typed('to_time'),
    zone,
    end_zone: typed('to_timezone') ?? zone,
  }
  return enteredTime.isValidSync(times) ? times : undefined
}

function fillInDefaults({ from, to, zone, end_zone }: Entered, saved: MeetingTime['saved']) {
  const own = zone ?? saved.zone
  const endZone = end_zone ?? saved.endZone
  return {
    from: from ?? saved.from,
    to: to ?? (from === undefined ? saved.to : hourAfter(from)),
    zone: own,
    endZone: endZone === own ? '' : endZone,
  }
}

function spanOf(entered: MeetingTime['entered'] | undefined, present?: EventDetails) {
  if (!entered) return { span: undefined, problem: undefined }
  const zones = { from: entered.zone, to: entered.endZone || entered.zone }
  try {
    const { from, to } = parseSpan({ from_time: entered.from, to_time: entered.to }, zones, present)
    return { span: from && to ? { from, to } : undefined, problem: undefined }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { span: undefined, problem: Object.values(error.errors ?? {}).flat()[0] ?? error.detail }
  }
}
