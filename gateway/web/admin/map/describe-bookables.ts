// Describes the map's bookables at a given time: who has each bookable and until when, how long it is free,
// and how people are named.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { shortenToWidth } from '../../../reads/map/fit-text.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import type { MapCell } from '../../pages/map/cells.ts'
import { formatDate, formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatInitials } from '../../pages/ui/avatars.ts'
import { choices } from '../../pages/ui/fields.ts'
import { formatFirstItems } from '../../pages/ui/parts.ts'
import type { MapBookable, MapHolder, MapMoment } from './queries.ts'

/** Whether the map names people in full, by initials, or not at all, because others may see the screen. */
export const MAP_NAME_CHOICES = choices(
  ['full', sentence`Full`],
  ['initials', sentence`Initials`],
  ['hidden', sentence`Hidden`],
)

export type MapNames = (typeof MAP_NAME_CHOICES.values)[number]

// The width for a name that a number follows in a cell, and the height of its letters.
const NAME_WIDTH = 96

const LETTER_HEIGHT = 12

/** Names the holder of the bookable, and the event that it is booked for. */
function formatHolder({ who, guest, event, requestId }: MapHolder, names: MapNames): string {
  if (names === 'hidden') return t`Taken`
  if (names === 'initials') return formatInitials(who)
  if (requestId !== null) return t`Requested by ${who}`
  const name = [event, who].filter(Boolean).join(', ')
  return guest ? t`${name} for ${guest}` : name
}

/** Returns what a cell shows: the event, or else the guest or the person, and their initials. */
export function formatHolders(
  { holders, claims }: MapBookable,
  names: MapNames,
): Pick<MapCell, 'line' | 'initials' | 'holderId'> {
  const [first] = holders
  if (!first || names === 'hidden') return { line: t`taken` }
  const name = first.event ?? first.guest ?? first.who
  const initials = formatInitials(names === 'initials' ? first.who : name)
  if (names === 'initials') return { line: '', initials }
  return {
    line: claims > 1 ? `${shortenToWidth(name, NAME_WIDTH, LETTER_HEIGHT)} +${claims - 1}` : name,
    initials,
    holderId: first.event === null && first.guest === null ? first.userId : undefined,
  }
}

type MapTime = Pick<MapMoment, 'at' | 'timezone'>

type FormatTime = (instant: string) => string

const SHOWN_ASSIGNEES_MAX = 3

/** Formats a time. Includes the day, unless it is the day of the map. */
export function formatTimeAt(instant: string, { at, timezone }: MapTime): string {
  return formatTimeBeside(instant, at, timezone)
}

export function formatMoment({ at, timezone }: MapTime): string {
  return formatDayAndTime(at, timezone)
}

/** Maps each bookable's id to a sentence without its full stop, for text and for labels. */
export function describeBookables(
  bookables: MapBookable[],
  moment: MapTime,
  names: MapNames,
): Map<number, string> {
  // Caches formatted times, because many bookings end at the same time, and formatting a time in a time zone
  // is the slowest step.
  const times = new Map<string, string>()
  const formatTime = (instant: string) => {
    const time = times.get(instant) ?? formatTimeAt(instant, moment)
    times.set(instant, time)
    return time
  }
  return new Map(bookables.map((each) => [each.id, describeBookable(each, formatTime, names)]))
}

function describeBookable(bookable: MapBookable, formatTime: FormatTime, names: MapNames): string {
  const { occupied, status, assignees, closed, lentUntil } = bookable
  if (occupied) return describeHolders(bookable, formatTime, names)
  if (closed) return t`Closed until ${formatTime(closed.to)}: ${closed.reason}`
  if (status === BOOKABLE_STATUSES.blocked) return t`Blocked: nobody can book it`
  const until = bookable.next === null ? undefined : formatTime(bookable.next)
  if (status === BOOKABLE_STATUSES.assigned) {
    const free = until === undefined ? t`free for at least a day` : t`free until ${until}`
    const owner = formatAssignees(assignees, names)
    return `${lentUntil === null ? owner : t`${owner}, lent until ${formatDate(lentUntil, 'weekday')}`}; ${free}`
  }
  return until === undefined ? t`Free for at least a day` : t`Free until ${until}`
}

function describeHolders({ holders, claims }: MapBookable, formatTime: FormatTime, names: MapNames): string {
  const each = holders.map((holder) => {
    const who = formatHolder(holder, names)
    return holder.to === null ? t`${who}, open-ended` : t`${who} until ${formatTime(holder.to)}`
  })
  const more = claims - holders.length
  return more > 0 ? plural(more, '{0} and # more', '{0} and # more', each.join('; ')) : each.join('; ')
}

function formatAssignees(assignees: string[], names: MapNames): string {
  if (names !== 'full') return t`Assigned`
  return assignees.length === 0
    ? t`Assigned to nobody`
    : t`Assigned to ${formatFirstItems(assignees, SHOWN_ASSIGNEES_MAX)}`
}
