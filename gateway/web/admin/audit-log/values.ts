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
  toWords,
  translate,
} from '../../locales/translate.ts'
import { formatDate, formatWeekday } from '../../pages/time/instants.ts'
import { formatList } from '../../pages/ui/parts.ts'
import { hasBookable } from './choose-templates.ts'
import { showChanges } from './differences.ts'
import {
  type AuditArgs,
  type AuditContext,
  type AuditedFields,
  formatSpan,
  showAllNames,
  showName,
  showNameById,
  showResource,
  toAuditedFields,
  toList,
} from './things.ts'

type FindValue = (args: AuditArgs) => SentencePart | undefined

export const TEMPLATE_VALUES: Record<string, FindValue> = {
  id: ({ entry }) => entry.resourceId ?? '–',
  thing: showResource,
  name: showName,
  // Values for sentences about bookings.
  what: (args) => showField(args, chooseBookingRow(args), 'bookable_id', 'bookables'),
  whom: (args) => showBookedFor(args, chooseBookingRow(args)),
  when: (args) =>
    hasBookable(chooseBookingRow(args)) ? formatBookingTime(args, chooseBookingRow(args)) : undefined,
  days: formatDaysAway,
  declineReason: ({ after }) => toText(after['reason']),
  waited: showWaitedPlace,
  offered: ({ before, after, context }) => {
    const id = after['offered_bookable_id'] ?? before['offered_bookable_id']
    return id === undefined || id === null ? undefined : showNameById(context, 'bookables', id)
  },
  oldWhat: (args) => showField(args, args.before, 'bookable_id', 'bookables'),
  oldWhen: (args) => formatBookingTime(args, args.before),
  // Values for sentences about events and series.
  oldEventTime: ({ before, context }) => formatEventTime(before, context.zone),
  newEventTime: ({ after, context }) => formatEventTime(after, context.zone),
  oldRoom: (args) => showField(args, args.before, 'bookable_id', 'bookables'),
  newRoom: (args) => showField(args, args.after, 'bookable_id', 'bookables'),
  rooms: showRooms,
  answer: ({ after }) => ANSWER_WORDS[Number(findFirstRow(after['attendees'])['status'])]?.(),
  attendee: showAttendee,
  visit: (args) =>
    showField(args, args.after, 'event_id', 'events') ??
    showField(args, args.after, 'booking_id', 'bookings'),
  visitedBuilding: (args) => showField(args, args.after, 'building_id', 'buildings'),
  repeat: ({ before, after }) => formatRepeat(after['repeat'] ?? before['repeat']),
  // Values for sentences about places.
  location: (args) => showField(args, args.after, 'location_id', 'locations'),
  building: (args) => showField(args, { ...args.before, ...args.after }, 'building_id', 'buildings'),
  assigned: (args) => showAssignees(args, args.after, args.before),
  unassigned: (args) => showAssignees(args, args.before, args.after),
  otherChanges: ({ context, entry }) => showChanges(context, entry, ['status']),
  // Values for sentences about people.
  importedPeople: ({ after }) => formatCounts(after, PEOPLE_COUNTS),
  importedBookables: ({ after }) => formatCounts(after, BOOKABLE_COUNTS),
  members: ({ after }) => {
    const [added, removed] = [toList(after['added']).length, toList(after['removed']).length]
    return added + removed > 0 ? formatCounts({ added, removed }, MEMBER_COUNTS) : undefined
  },
  filename: ({ after }) => toText(after['filename']),
  cancelledBookings: ({ after }) =>
    formatCountAbove(after['cancelledBookings'], (count) => plural(count, '# booking', '# bookings')),
  // Values for sentences about administrators, tokens, calendar addresses and webhooks.
  oldRole: ({ before }) => findRole(before),
  newRole: ({ after }) => findRole(after),
  calendarOf: showCalendarOf,
  roomCalendar: ({ before, after }) => toText(after['calendar'] ?? before['calendar']),
  overlap: ({ after }) =>
    formatCountAbove(Math.round(Number(after['overlapSeconds'] ?? 0) / 360) / 10, (hours) =>
      plural(hours, '# hour more', '# hours more'),
    ),
  reason: ({ after }) => {
    const reason = toText(after['reason'])
    return reason && formatMessage({ text: reason }).replace(/\.$/, '')
  },
  failedDeliveries: ({ after }) =>
    formatCountAbove(
      after['deliveries'],
      (count) => plural(count, '# failed delivery', '# failed deliveries'),
      0,
    ),
}

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined)

const formatCountAbove = (value: unknown, format: (count: number) => string, min = Number.MIN_VALUE) =>
  typeof value === 'number' && value >= min ? format(value) : undefined

function showField(
  { context }: AuditArgs,
  row: AuditedFields,
  field: string,
  kind: string,
): SentencePart | undefined {
  return row[field] === undefined ? undefined : showNameById(context, kind, row[field])
}

const chooseBookingRow = ({ before, after }: AuditArgs) => (hasBookable(after) ? after : before)

const formatBookingTime = ({ context }: AuditArgs, row: AuditedFields) =>
  formatSpan(row['during'], findZone(context, row))

const findZone = ({ names, zone }: AuditContext, row: AuditedFields) =>
  (names.find('bookables', row['bookable_id']) ?? names.find('locations', row['location_id']))?.zone ?? zone

const formatEventTime = (row: AuditedFields, zone: string) =>
  row['during'] === undefined ? undefined : formatSpan(row['during'], zone)

function showBookedFor({ context }: AuditArgs, row: AuditedFields): SentencePart | undefined {
  // Returns undefined if the person was erased, which removes their name from the row.
  if ((row['user_id'] ?? null) === null) return undefined
  const user = showNameById(context, 'users', row['user_id'])
  const guest = row['guest_name'] ?? row['guest_email']
  return typeof guest === 'string' && guest !== '' ? tHtml`${guest}, a guest of ${user}` : user
}

function formatDaysAway({ before, after }: AuditArgs): string | undefined {
  const { from, to } = { ...before, ...after }
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  const first = formatDate(from, 'long')
  return from === to ? t`on ${first}` : t`from ${first} to ${formatDate(to, 'long')}`
}

const ANSWER_WORDS: Record<number, () => string> = { 1: () => t`yes`, 2: () => t`maybe`, 3: () => t`no` }

const findFirstRow = (rows: unknown) => toAuditedFields(toList(rows)[0])

function showAttendee({ after, context }: AuditArgs): SentencePart | undefined {
  const { user_id, name, email } = findFirstRow(after['attendees'])
  if (typeof user_id === 'number') return showNameById(context, 'users', user_id)
  return toText(name) ?? toText(email)
}

function showRooms({ after, context }: AuditArgs): SentencePart | undefined {
  const ids = toList(after['rooms']).map((room) => toAuditedFields(room)['bookable_id'])
  const names = ids.map((id) => context.names.find('bookables', id)?.name ?? t`a room`)
  return names.length > 0 ? formatList(names) : undefined
}

/** Shows what somebody is waiting for: one desk or room, or any desk or room of its type on a floor. */
function showWaitedPlace(args: AuditArgs): SentencePart | undefined {
  const row = chooseBookingRow(args)
  if ((row['bookable_id'] ?? null) !== null)
    return showNameById(args.context, 'bookables', row['bookable_id'])
  if ((row['location_id'] ?? null) === null) return undefined
  const floor = showNameById(args.context, 'locations', row['location_id'])
  if (row['type'] === BOOKABLE_TYPES.parkingSpot) return tHtml`a parking spot on ${floor}`
  return row['type'] === BOOKABLE_TYPES.meetingRoom ? tHtml`a room on ${floor}` : tHtml`a desk on ${floor}`
}

/** Shows the assignees who are in one row but not in the other. */
function showAssignees(
  { context }: AuditArgs,
  row: AuditedFields,
  other: AuditedFields,
): SentencePart | undefined {
  const others = toList(other['assignees'])
  const ids = toList(row['assignees']).filter((id) => !others.includes(id))
  return ids.length === 0 ? undefined : showAllNames(context, 'users', ids)
}

sentences`reader, front desk, administrator, owner`

const findRole = ({ role }: AuditedFields) =>
  typeof role === 'string' && isRole(role) ? translate(toWords(role.replace('-', '_'))) : undefined

const CALENDAR_KINDS = { user_id: 'users', bookable_id: 'bookables', location_id: 'locations' }

function showCalendarOf({ context, before, after }: AuditArgs): SentencePart | undefined {
  const row: AuditedFields = { ...before, ...after }
  const [of] = Object.entries(CALENDAR_KINDS).filter(([field]) => (row[field] ?? null) !== null)
  return of && showNameById(context, of[1], row[of[0]])
}

/** Formats a repetition, such as “every 2 weeks on Mon and Wed until 31 March 2031”. */
function formatRepeat(repeat: unknown): string | undefined {
  const { every, interval = 1, on, until, count } = toAuditedFields(repeat)
  if ((every !== 'day' && every !== 'week') || typeof interval !== 'number') return undefined
  const often = every === 'day' ? formatDays(interval) : formatWeeks(interval, on)
  if (typeof until === 'string') return t`${often} until ${formatDate(until, 'long')}`
  return typeof count === 'number' ? plural(count, '{0}, # time', '{0}, # times', often) : often
}

const formatDays = (interval: number) =>
  interval === 1 ? t`every day` : plural(interval, 'every # day', 'every # days')

function formatWeeks(interval: number, on: unknown): string {
  const days = formatList(toList(on).map((day) => formatWeekday(Number(day), 'short')))
  if (days === '') return interval === 1 ? t`every week` : plural(interval, 'every # week', 'every # weeks')
  return interval === 1
    ? t`every week on ${days}`
    : plural(interval, 'every # week on {0}', 'every # weeks on {0}', days)
}

type CountFormats = Record<string, (count: number) => string>

const PEOPLE_COUNTS: CountFormats = {
  created: (count) => plural(count, '# person added', '# people added'),
  updated: (count) => plural(count, '# person changed', '# people changed'),
  deleted: (count) => plural(count, '# person deactivated', '# people deactivated'),
  errors: (count) => plural(count, '# row refused', '# rows refused'),
}

const BOOKABLE_COUNTS: CountFormats = {
  created: (count) => plural(count, '# added', '# added'),
  updated: (count) => plural(count, '# changed', '# changed'),
  errors: (count) => plural(count, '# row refused', '# rows refused'),
}

const MEMBER_COUNTS: CountFormats = {
  added: (count) => plural(count, '# person added', '# people added'),
  removed: (count) => plural(count, '# person removed', '# people removed'),
}

function formatCounts(row: AuditedFields, counts: CountFormats): string {
  const counted = Object.entries(counts).flatMap(
    ([field, format]) => formatCountAbove(row[field], format) ?? [],
  )
  return counted.length > 0 ? counted.join(', ') : t`nothing changed`
}
