// The time of an event while a user edits it. Until the event is saved, the page's address contains the time,
// in the time zones of its start and end.
import type { Message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import type { Call } from '../../pages/page/page.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { addOneHour, findNextWorkingHour, type LocalTimeRange } from '../../pages/time/requested-time.ts'
import type { EventDetails } from './queries.ts'

export const meetingTimeQuery = {
  from: localDateTime(),
  to: localDateTime(),
  zone: timezone(),
  end_zone: timezone(),
}
const enteredTimeSchema = object(meetingTimeQuery)
type EnteredTime = typeof enteredTimeSchema.__outputType

export type MeetingTime = {
  /** The current time of the event, or the proposed time of a new event. */
  saved: LocalTimeRange & { zone: string; endZone: string }
  /** The time that the user entered. The end zone is empty if it is the same as the start zone. */
  entered: LocalTimeRange & { zone: string; endZone: string }
  span: { from: string; to: string } | undefined
  problem: Message | undefined
}

/** Returns the time of the event. `zone` is the default for an event that has no time zone yet. */
export function findMeetingTime(
  call: Call<unknown, EnteredTime>,
  zone: string,
  present: EventDetails | undefined,
) {
  const saved = findCurrentTime(call.now, zone, present)
  const asked = parseEntered(call)
  const entered = asked ? fillInDefaults(asked, saved) : saved
  return { saved, entered, ...findSpan(asked && entered, present) }
}

function findCurrentTime(now: string, zone: string, present?: EventDetails): MeetingTime['saved'] {
  if (!present) return { ...findNextWorkingHour(now, zone), zone, endZone: '' }
  const { from, to, fromZone, toZone } = present
  return {
    from: formatLocalDateTime(from, fromZone),
    to: formatLocalDateTime(to, toZone),
    zone: fromZone,
    endZone: toZone === fromZone ? '' : toZone,
  }
}

/** Returns the time from a refused form, or else from the page's address. Returns undefined if it is invalid. */
function parseEntered({ refusedForm, query }: Call<unknown, EnteredTime>): EnteredTime | undefined {
  if (!refusedForm) return query
  const typed = (name: string) => refusedForm.values[name]?.[0] || undefined
  const zone = typed('from_timezone')
  const times = {
    from: typed('from_time'),
    to: typed('to_time'),
    zone,
    end_zone: typed('to_timezone') ?? zone,
  }
  return enteredTimeSchema.isValidSync(times) ? times : undefined
}

function fillInDefaults({ from, to, zone, end_zone }: EnteredTime, saved: MeetingTime['saved']) {
  const own = zone ?? saved.zone
  const endZone = end_zone ?? saved.endZone
  return {
    from: from ?? saved.from,
    to: to ?? (from === undefined ? saved.to : addOneHour(from)),
    zone: own,
    endZone: endZone === own ? '' : endZone,
  }
}

function findSpan(entered: MeetingTime['entered'] | undefined, present?: EventDetails) {
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
