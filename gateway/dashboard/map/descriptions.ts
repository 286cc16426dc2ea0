// Describes the map's bookables at a moment: who has each until when, and how long it is free.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { plural, t } from '../locales/translate.ts'
import { formatDayAndTime, formatTimeBeside } from '../time/instants.ts'
import { formatFirst } from '../ui/words.ts'
import { formatHolder, type Names } from './names.ts'
import type { MapBookable, MapMoment } from './queries.ts'

type Moment = Pick<MapMoment, 'at' | 'timezone'>
type FormatTime = (instant: string) => string

const ASSIGNEES_SHOWN = 3

/** The time only, if it is on the day shown; otherwise with its day. */
export function formatTimeAt(instant: string, { at, timezone }: Moment): string {
  return formatTimeBeside(instant, at, timezone)
}

export function formatMoment({ at, timezone }: Moment): string {
  return formatDayAndTime(at, timezone)
}

/** Maps each bookable's ID to a sentence without its full stop, for text and for labels. */
export function describeBookables(
  bookables: MapBookable[],
  moment: Moment,
  names: Names,
): Map<number, string> {
  // Many bookings end at the same time, and formatting a time in a time zone takes longer than all the rest.
  const times = new Map<string, string>()
  const formatTime = (instant: string) => {
    const time = times.get(instant) ?? formatTimeAt(instant, moment)
    times.set(instant, time)
    return time
  }
  return new Map(bookables.map((each) => [each.id, describeBookable(each, formatTime, names)]))
}

function describeBookable(bookable: MapBookable, formatTime: FormatTime, names: Names): string {
  const { occupied, status, assignees } = bookable
  if (occupied) return describeHolders(bookable, formatTime, names)
  if (status === BOOKABLE_STATUSES.blocked) return t`Blocked: nobody can book it`
  const until = bookable.next === null ? undefined : formatTime(bookable.next)
  if (status === BOOKABLE_STATUSES.assigned) {
    const free = until === undefined ? t`free for at least a day` : t`free until ${until}`
    return `${formatAssigned(assignees, names)}; ${free}`
  }
  return until === undefined ? t`Free for at least a day` : t`Free until ${until}`
}

function describeHolders({ holders, claims }: MapBookable, formatTime: FormatTime, names: Names): string {
  const each = holders.map((holder) => {
    const who = formatHolder(holder, names)
    return holder.to === null ? t`${who}, open-ended` : t`${who} until ${formatTime(holder.to)}`
  })
  const more = claims - holders.length
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', each.join('; ')) : each.join('; ')
}

function formatAssigned(assignees: string[], names: Names): string {
  if (names !== 'full') return t`Assigned`
  return assignees.length === 0
    ? t`Assigned to nobody`
    : t`Assigned to ${formatFirst(assignees, ASSIGNEES_SHOWN)}`
}
