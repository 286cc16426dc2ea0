// What the audit log says of events, their rooms, and of series of bookings.
import { type Html, html } from '../../http/html.ts'
import { currentLocale, plural, type SentencePart, t, tHtml } from '../language/translate.ts'
import { formatDate } from '../time/dates.ts'
import { formatList } from '../ui/words.ts'
import { AUTOMATIC, withOverridden } from './booking-sentences.ts'
import { showChanges } from './differences.ts'
import { fieldsOf } from './paths.ts'
import { formatSpan, numbersOf, showName, showNamed, type Told, withChanges } from './sentence-parts.ts'

type Row = Record<string, unknown>

export function sayEventCreated(told: Told): Html {
  const { during } = told.after
  return withOverridden(
    told,
    during === undefined
      ? tHtml`created the event ${showName(told)}`
      : tHtml`created the event ${showName(told)}, ${formatSpan(during, told.said.zone)}`,
  )
}

export function sayEventChanged(told: Told): Html {
  const { before, after, said } = told
  const [was, is] = [formatSpan(before['during'], said.zone), formatSpan(after['during'], said.zone)]
  const done =
    was === is
      ? tHtml`changed the event ${showName(told)}`
      : tHtml`moved the event ${showName(told)} from ${was} to ${is}`
  const others = showChanges(said, told.entry, ['during', 'attendees', ...AUTOMATIC])
  const changes = [others, ...listInvited(told)]
    .filter((part) => part !== undefined)
    .map((part, index) => html`${index > 0 && '; '}${part}`)
  return withOverridden(told, withChanges(done, changes.length > 0 && changes))
}

// Whoever came and went; the rows of those who stayed say nothing.
function listInvited({ before, after, said }: Told): string[] {
  const [was = [], is = []] = [before, after].map((row) => numbersOf(row['attendees']).map(fieldsOf))
  const keyOf = (row: Row) => `${row['user_id']} ${row['email']}`
  const without = (rows: Row[], others: Row[]) => {
    const known = new Set(others.map(keyOf))
    return rows.filter((row) => !known.has(keyOf(row)))
  }
  const nameOf = (row: Row) =>
    said.names.find('users', row['user_id'])?.name ?? String(row['email'] ?? t`somebody`)
  const [came, went] = [without(is, was), without(was, is)].map((rows) => rows.map(nameOf))
  return [
    ...(came?.length ? [t`invited ${formatList(came)}`] : []),
    ...(went?.length ? [t`no longer invited ${formatList(went)}`] : []),
  ]
}

export function sayEventCancelled(told: Told): Html {
  const { during } = told.before
  return during === undefined
    ? tHtml`cancelled the event ${showName(told)}`
    : tHtml`cancelled the event ${showName(told)}, ${formatSpan(during, told.said.zone)}`
}

export function sayEventCheckedIn(told: Told): Html {
  const rooms = numbersOf(told.after['rooms']).map((room) => fieldsOf(room)['bookable_id'])
  const names = rooms.map((id) => told.said.names.find('bookables', id)?.name ?? t`a room`)
  return names.length > 0
    ? tHtml`checked in to ${formatList(names)} for the event ${showName(told)}`
    : tHtml`checked in to the rooms for the event ${showName(told)}`
}

/** Undefined where it is not known which one. */
function findRoom({ said }: Told, row: Row): SentencePart | undefined {
  const id = row['bookable_id']
  return id === undefined ? undefined : showNamed(said, 'bookables', id)
}

export function sayRoomReleased(told: Told): Html {
  const room = findRoom(told, told.after)
  return room === undefined
    ? tHtml`released a room of the event ${showName(told)}, because nobody checked in`
    : tHtml`released ${room} of the event ${showName(told)}, because nobody checked in`
}

export function sayRoomCleared(told: Told): Html {
  const room = findRoom(told, told.before)
  return room === undefined
    ? tHtml`took a room from the event ${showName(told)}, because it was in the way`
    : tHtml`took ${room} from the event ${showName(told)}, because it was in the way`
}

export function sayRoomMoved(told: Told): Html {
  const nameRoom = (row: Row) => findRoom(told, row) ?? t`a room`
  return tHtml`moved the event ${showName(told)} from ${nameRoom(told.before)} to ${nameRoom(told.after)}`
}

export function saySeriesCreated({ after }: Told): Html {
  const repeat = formatRepeat(after['repeat'])
  return repeat === undefined
    ? tHtml`created a series of bookings`
    : tHtml`created a series of bookings, ${repeat}`
}

export function saySeriesDeleted({ before, entry }: Told): Html {
  const id = entry.resourceId ?? '–'
  const repeat = formatRepeat(before['repeat'])
  return repeat === undefined
    ? tHtml`ended series ${id} of bookings`
    : tHtml`ended series ${id} of bookings, ${repeat}`
}

/** “every 2 weeks on Mon and Wed until 31 March 2031”. */
function formatRepeat(repeat: unknown): string | undefined {
  const { every, interval = 1, on, until, count } = fieldsOf(repeat)
  if ((every !== 'day' && every !== 'week') || typeof interval !== 'number') return undefined
  const often = every === 'day' ? formatDays(interval) : formatWeeks(interval, on)
  if (typeof until === 'string') return t`${often} until ${formatDate(until, 'long')}`
  return typeof count === 'number' ? plural(count, '{0}, # time', '{0}, # times', often) : often
}

const formatDays = (interval: number) =>
  interval === 1 ? t`every day` : plural(interval, 'every # day', 'every # days')

function formatWeeks(interval: number, on: unknown): string {
  const days = formatList(numbersOf(on).map(formatWeekday))
  if (days === '') return interval === 1 ? t`every week` : plural(interval, 'every # week', 'every # weeks')
  return interval === 1
    ? t`every week on ${days}`
    : plural(interval, 'every # week on {0}', 'every # weeks on {0}', days)
}

/** 1 is Monday. */
function formatWeekday(day: unknown): string {
  const monday = Date.UTC(2024, 0, 1)
  const date = new Date(monday + (Number(day) - 1) * 24 * 3_600_000)
  return date.toLocaleDateString(currentLocale(), { weekday: 'short', timeZone: 'UTC' })
}
