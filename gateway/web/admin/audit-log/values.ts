// The values in the audit log's sentences. A value is undefined if the entry does not contain it.
import { isRole } from '../../../../shared/administrators/roles.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import {
  formatMessage,
  plural,
  type SentencePart,
  sentences,
  t,
  tHtml,
  translate,
  wordsOf,
} from '../../locales/translate.ts'
import { formatDate, formatWeekday } from '../../pages/time/instants.ts'
import { formatList } from '../../pages/ui/parts.ts'
import { hasBookable } from './choose-templates.ts'
import { showChanges } from './differences.ts'
import {
  type AuditArgs,
  type AuditContext,
  fieldsOf,
  formatSpan,
  listOf,
  type Row,
  showAll,
  showName,
  showNamed,
  showThing,
} from './things.ts'

type Value = (args: AuditArgs) => SentencePart | undefined

export const VALUES: Record<string, Value> = {
  id: ({ entry }) => entry.resourceId ?? '–',
  thing: showThing,
  name: showName,
  // Bookings.
  what: (args) => showField(args, bookingOf(args), 'bookable_id', 'bookables'),
  whom: (args) => showWhom(args, bookingOf(args)),
  when: (args) => (hasBookable(bookingOf(args)) ? formatWhen(args, bookingOf(args)) : undefined),
  declineReason: ({ after }) => textOf(after['reason']),
  waited: showWaited,
  offered: ({ before, after, context }) => {
    const id = after['offered_bookable_id'] ?? before['offered_bookable_id']
    return id === undefined || id === null ? undefined : showNamed(context, 'bookables', id)
  },
  oldWhat: (args) => showField(args, args.before, 'bookable_id', 'bookables'),
  oldWhen: (args) => formatWhen(args, args.before),
  // Events and series.
  oldEventTime: ({ before, context }) => formatEventTime(before, context.zone),
  newEventTime: ({ after, context }) => formatEventTime(after, context.zone),
  oldRoom: (args) => showField(args, args.before, 'bookable_id', 'bookables'),
  newRoom: (args) => showField(args, args.after, 'bookable_id', 'bookables'),
  rooms: showRooms,
  visit: (args) =>
    showField(args, args.after, 'event_id', 'events') ??
    showField(args, args.after, 'booking_id', 'bookings'),
  visitedBuilding: (args) => showField(args, args.after, 'building_id', 'buildings'),
  repeat: ({ before, after }) => formatRepeat(after['repeat'] ?? before['repeat']),
  // Places.
  location: (args) => showField(args, args.after, 'location_id', 'locations'),
  building: (args) => showField(args, { ...args.before, ...args.after }, 'building_id', 'buildings'),
  assigned: (args) => showAssignees(args, args.after, args.before),
  unassigned: (args) => showAssignees(args, args.before, args.after),
  otherChanges: ({ context, entry }) => showChanges(context, entry, ['status']),
  // People.
  importedPeople: ({ after }) => formatCounts(after, PEOPLE_COUNTS),
  importedBookables: ({ after }) => formatCounts(after, BOOKABLE_COUNTS),
  members: ({ after }) => {
    const [added, removed] = [listOf(after['added']).length, listOf(after['removed']).length]
    return added + removed > 0 ? formatCounts({ added, removed }, MEMBER_COUNTS) : undefined
  },
  filename: ({ after }) => textOf(after['filename']),
  cancelledBookings: ({ after }) =>
    countOf(after['cancelledBookings'], (count) => plural(count, '# booking', '# bookings')),
  // Administrators, tokens, calendar addresses and webhooks.
  oldRole: ({ before }) => roleOf(before),
  newRole: ({ after }) => roleOf(after),
  calendarOf: showCalendarOf,
  overlap: ({ after }) =>
    countOf(Math.round(Number(after['overlapSeconds'] ?? 0) / 360) / 10, (hours) =>
      plural(hours, '# hour more', '# hours more'),
    ),
  reason: ({ after }) => {
    const reason = textOf(after['reason'])
    return reason && formatMessage({ text: reason }).replace(/\.$/, '')
  },
  failedDeliveries: ({ after }) =>
    countOf(after['deliveries'], (count) => plural(count, '# failed delivery', '# failed deliveries'), 0),
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

const countOf = (value: unknown, format: (count: number) => string, min = Number.MIN_VALUE) =>
  typeof value === 'number' && value >= min ? format(value) : undefined

function showField({ context }: AuditArgs, row: Row, field: string, kind: string): SentencePart | undefined {
  return row[field] === undefined ? undefined : showNamed(context, kind, row[field])
}

const bookingOf = ({ before, after }: AuditArgs) => (hasBookable(after) ? after : before)

const formatWhen = ({ context }: AuditArgs, row: Row) => formatSpan(row['during'], zoneOf(context, row))

const zoneOf = ({ names, zone }: AuditContext, row: Row) =>
  (names.find('bookables', row['bookable_id']) ?? names.find('locations', row['location_id']))?.zone ?? zone

const formatEventTime = (row: Row, zone: string) =>
  row['during'] === undefined ? undefined : formatSpan(row['during'], zone)

function showWhom({ context }: AuditArgs, row: Row): SentencePart | undefined {
  // Erasing a person removes their name from the row.
  if ((row['user_id'] ?? null) === null) return undefined
  const user = showNamed(context, 'users', row['user_id'])
  const guest = row['guest_name'] ?? row['guest_email']
  return typeof guest === 'string' && guest !== '' ? tHtml`${guest}, a guest of ${user}` : user
}

function showRooms({ after, context }: AuditArgs): SentencePart | undefined {
  const ids = listOf(after['rooms']).map((room) => fieldsOf(room)['bookable_id'])
  const names = ids.map((id) => context.names.find('bookables', id)?.name ?? t`a room`)
  return names.length > 0 ? formatList(names) : undefined
}

/** One desk or room, or any of its type on a floor. */
function showWaited(args: AuditArgs): SentencePart | undefined {
  const row = bookingOf(args)
  if ((row['bookable_id'] ?? null) !== null) return showNamed(args.context, 'bookables', row['bookable_id'])
  if ((row['location_id'] ?? null) === null) return undefined
  const floor = showNamed(args.context, 'locations', row['location_id'])
  if (row['type'] === BOOKABLE_TYPES.parkingSpot) return tHtml`a parking spot on ${floor}`
  return row['type'] === BOOKABLE_TYPES.meetingRoom ? tHtml`a room on ${floor}` : tHtml`a desk on ${floor}`
}

/** The assignees in one row that the other row lacks. */
function showAssignees({ context }: AuditArgs, row: Row, other: Row): SentencePart | undefined {
  const others = listOf(other['assignees'])
  const ids = listOf(row['assignees']).filter((id) => !others.includes(id))
  return ids.length === 0 ? undefined : showAll(context, 'users', ids)
}

sentences`reader, front desk, administrator, owner`

const roleOf = ({ role }: Row) =>
  typeof role === 'string' && isRole(role) ? translate(wordsOf(role.replace('-', '_'))) : undefined

const CALENDARS_OF = { user_id: 'users', bookable_id: 'bookables', location_id: 'locations' }

function showCalendarOf({ context, before, after }: AuditArgs): SentencePart | undefined {
  const row: Row = { ...before, ...after }
  const [of] = Object.entries(CALENDARS_OF).filter(([field]) => (row[field] ?? null) !== null)
  return of && showNamed(context, of[1], row[of[0]])
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
  const days = formatList(listOf(on).map((day) => formatWeekday(Number(day), 'short')))
  if (days === '') return interval === 1 ? t`every week` : plural(interval, 'every # week', 'every # weeks')
  return interval === 1
    ? t`every week on ${days}`
    : plural(interval, 'every # week on {0}', 'every # weeks on {0}', days)
}

type Counts = Record<string, (count: number) => string>

const PEOPLE_COUNTS: Counts = {
  created: (count) => plural(count, '# person added', '# people added'),
  updated: (count) => plural(count, '# person changed', '# people changed'),
  deleted: (count) => plural(count, '# person deactivated', '# people deactivated'),
  errors: (count) => plural(count, '# row refused', '# rows refused'),
}

const BOOKABLE_COUNTS: Counts = {
  created: (count) => plural(count, '# added', '# added'),
  updated: (count) => plural(count, '# changed', '# changed'),
  errors: (count) => plural(count, '# row refused', '# rows refused'),
}

const MEMBER_COUNTS: Counts = {
  added: (count) => plural(count, '# person added', '# people added'),
  removed: (count) => plural(count, '# person removed', '# people removed'),
}

function formatCounts(row: Row, counts: Counts): string {
  const told = Object.entries(counts).flatMap(([field, format]) => countOf(row[field], format) ?? [])
  return told.length > 0 ? told.join(', ') : t`nothing changed`
}
