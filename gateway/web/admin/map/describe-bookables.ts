// Describes the map's bookables at a moment: who has each until when, how long it is free, and how people are named.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { shorten } from '../../../reads/map/fit-text.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { choices } from '../../pages/ui/fields.ts'
import { formatFirst } from '../../pages/ui/parts.ts'
import type { MapBookable, MapHolder, MapMoment } from './queries.ts'

/** Names people in full, by initials, or not at all, because others may see the screen. */
export const NAMES = choices(
  ['full', sentence`Full`],
  ['initials', sentence`Initials`],
  ['hidden', sentence`Hidden`],
)

export type Names = (typeof NAMES.values)[number]

// The space for a name in a cell, and the height of its letters.
const WIDTH = 120

const LETTERS = 14

/** Names who has the bookable, and the event it is for. */
function formatHolder({ who, guest, event, requestId }: MapHolder, names: Names): string {
  if (names === 'hidden') return t`Taken`
  if (names === 'initials') return formatInitials(who)
  if (requestId !== null) return t`Requested by ${who}`
  const name = [event, who].filter(Boolean).join(', ')
  return guest ? t`${name} for ${guest}` : name
}

/**
 * Shows in a cell what most users look for: the event, else the guest or the person. The stylesheet shows their initials
 * instead while the letters of a name are too small.
 */
export function showHolders({ holders, claims }: MapBookable, names: Names): string | Html {
  const [first] = holders
  if (!first || names === 'hidden') return t`taken`
  const name = first.event ?? first.guest ?? first.who
  const initials = formatInitials(names === 'initials' ? first.who : name)
  const circle = html`<circle cy="15" r="14"/><text y="20">${initials}</text>`
  if (names === 'initials') return html`<g class="who">${circle}</g>`
  const words =
    claims > 1 ? `${shorten(name, WIDTH - 24, LETTERS)} +${claims - 1}` : shorten(name, WIDTH, LETTERS)
  return html`<g class="who initials">${circle}</g><text class="who name" y="18" font-size="${LETTERS}">${words}</text>`
}

/** “AL” for Ada Lovelace: from the first and the last word. */
function formatInitials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('en') ?? '').join('')
}

type Moment = Pick<MapMoment, 'at' | 'timezone'>

type FormatTime = (instant: string) => string

const ASSIGNEES_SHOWN = 3

/** Shows the day too unless it is the day shown. */
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
  const { occupied, status, assignees, closed } = bookable
  if (occupied) return describeHolders(bookable, formatTime, names)
  if (closed) return t`Closed until ${formatTime(closed.to)}: ${closed.reason}`
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
