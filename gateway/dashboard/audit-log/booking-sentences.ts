// What happened to bookings, events and series, as sentences: what of, for whom and when.
import { type Content, type Html, html } from '../../http/html.ts'
import { formatDate } from '../time/dates.ts'
import { formatList } from '../ui/words.ts'
import { showChanges } from './differences.ts'
import { fieldsOf } from './paths.ts'
import { formatSpan, numbersOf, parseSpan, showNamed, showThing, type Told } from './sentence-parts.ts'

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const zoneOf = ({ said }: Told, row: Record<string, unknown>) =>
  said.names.find('bookables', row['bookable_id'])?.zone ?? said.zone

/** Whether it is known of what it is a booking: the row of somebody who was erased may be empty. */
const isKnown = (row: Record<string, unknown>) => row['bookable_id'] !== undefined

/** “the booking of Desk 7 for Anna Bauer”. */
function showBooking(told: Told, row = bookingOf(told)): Content {
  if (!isKnown(row)) return html`booking ${told.entry.resourceId}`
  return html`the booking of ${showNamed(told.said, 'bookables', row['bookable_id'])} for ${showWhom(told, row)}`
}

const bookingOf = ({ before, after }: Told) => (isKnown(after) ? after : before)

function showWhom({ said }: Told, row: Record<string, unknown>): Content {
  const user = showNamed(said, 'users', row['user_id'])
  const guest = row['guest_name'] ?? row['guest_email']
  return typeof guest === 'string' && guest !== '' ? html`${guest}, a guest of ${user}` : user
}

export function sayBooked(told: Told): Html {
  const row = told.after
  if (!isKnown(row)) return html`created ${showBooking(told)}`
  const what = showNamed(told.said, 'bookables', row['bookable_id'])
  const when = formatSpan(row['during'], zoneOf(told, row))
  return html`booked ${what} for ${showWhom(told, row)}, ${when}${showOverridden(told)}`
}

export function sayBookingChanged(told: Told): Html {
  const { before, after, said } = told
  if (!isKnown(before) || !isKnown(after)) return html`changed ${showBooking(told)}`
  const zone = zoneOf(told, after)
  const [was, is] = [formatSpan(before['during'], zoneOf(told, before)), formatSpan(after['during'], zone)]
  const others = showChanges(said, told.entry, ['during', 'bookable_id', ...AUTOMATIC])
  const more = html`${others && html`: ${others}`}${showOverridden(told)}`
  if (before['bookable_id'] !== after['bookable_id']) {
    const [from, to] = [before, after].map((row) => showNamed(said, 'bookables', row['bookable_id']))
    const times = was === is ? html`, ${is}` : html`, ${was}, to ${to}, ${is}`
    return was === is
      ? html`moved the booking for ${showWhom(told, after)} from ${from} to ${to}${times}${more}`
      : html`moved the booking for ${showWhom(told, after)} from ${from}${times}${more}`
  }
  if (was === is) return html`changed ${showBooking(told)}, ${is}${more}`
  const [old, present] = [parseSpan(before['during']), parseSpan(after['during'])]
  if (old?.from !== present?.from) return html`moved ${showBooking(told)} from ${was} to ${is}${more}`
  const isLonger = present?.to === undefined || (old?.to !== undefined && present.to > old.to)
  return html`${isLonger ? 'extended' : 'shortened'} ${showBooking(told)} to ${is}${more}`
}

// What follows from the change itself.
const AUTOMATIC = ['check_in_from', 'check_in_until', 'exclusive', 'overridden_rules']

export function sayBookingCancelled(told: Told): Html {
  return html`cancelled ${showBooking(told)}${showWhen(told)}`
}

/** By an administrator when somebody has left; by a timer when nobody checked in. */
export function sayBookingReleased(told: Told): Html {
  const isNoShow = told.after['released_at'] !== undefined && told.after['released_at'] !== null
  if (isNoShow)
    return html`released ${showBooking(told)}, ${formatSpan(told.before['during'], zoneOf(told, told.before))}, because nobody checked in`
  const done = isKnown(told.after) ? 'ended' : 'cancelled'
  return html`${done} ${showBooking(told)}${showWhen(told)}, because they were deactivated`
}

/** To another place. */
export function sayBookingMoved(told: Told): Html {
  return isKnown(told.before) && isKnown(told.after)
    ? sayBookingChanged(told)
    : html`moved ${showBooking(told)}`
}

/** Of what an administrator blocked, assigned, deleted or closed. */
export function sayBookingCleared(told: Told): Html {
  const done = isKnown(told.after) ? 'shortened' : 'cancelled'
  return html`${done} ${showBooking(told)}${showWhen(told)}, because it was in the way`
}

export function sayCheckedIn(told: Told): Html {
  return html`checked in to ${showBooking(told)}${showWhen(told)}`
}

function showWhen(told: Told): Content {
  const row = bookingOf(told)
  return isKnown(row) && html`, ${formatSpan(row['during'], zoneOf(told, row))}`
}

function showOverridden({ after }: Told): Content {
  const rules = after['overridden_rules']
  if (!Array.isArray(rules) || rules.length === 0) return null
  return `, overriding a rule (${rules.map((rule) => String(rule).replaceAll('_', ' ')).join(', ')})`
}

export function sayEventCreated(told: Told): Html {
  const { after, said } = told
  const when = after['during'] !== undefined && html`, ${formatSpan(after['during'], said.zone)}`
  return html`created the event ${showThing(told, 'event')}${when}${showOverridden(told)}`
}

export function sayEventChanged(told: Told): Html {
  const { before, after, said } = told
  const [was, is] = [before, after].map((row) => formatSpan(row['during'], said.zone))
  const moved = was !== is && html` from ${was} to ${is}`
  const others = showChanges(said, told.entry, ['during', 'attendees', ...AUTOMATIC])
  const people = showAttendees(told)
  const more = [others, people].filter(Boolean).map((part, index) => html`${index > 0 && '; '}${part}`)
  return html`${moved ? 'moved' : 'changed'} the event ${showThing(told, 'event')}${moved}${more.length > 0 && html`: ${more}`}${showOverridden(told)}`
}

// Whoever came and went; the rows of those who stayed say nothing.
function showAttendees({ before, after, said }: Told): Content {
  const [was, is] = [before, after].map((row) => numbersOf(row['attendees']).map(fieldsOf))
  const keyOf = (row: Record<string, unknown>) => `${row['user_id']} ${row['email']}`
  const without = (rows: typeof was, others: typeof was) => {
    const known = new Set((others ?? []).map(keyOf))
    return (rows ?? []).filter((row) => !known.has(keyOf(row)))
  }
  const nameOf = (row: Record<string, unknown>) =>
    said.names.find('users', row['user_id'])?.name ?? String(row['email'] ?? 'somebody')
  const say = (verb: string, rows: Array<Record<string, unknown>>) =>
    rows.length > 0 ? [`${verb} ${formatList(rows.map(nameOf))}`] : []
  return [...say('invited', without(is, was)), ...say('no longer invited', without(was, is))].join('; ')
}

export function sayEventCancelled(told: Told): Html {
  const during = told.before['during']
  return html`cancelled the event ${showThing(told, 'event')}${during !== undefined && html`, ${formatSpan(during, told.said.zone)}`}`
}

export function sayEventCheckedIn(told: Told): Html {
  const rooms = numbersOf(told.after['rooms']).map((room) => fieldsOf(room)['bookable_id'])
  const names = rooms.map((id) => told.said.names.find('bookables', id)?.name ?? 'a room')
  return html`checked in to ${names.length > 0 ? formatList(names) : 'the rooms'} for the event ${showThing(told, 'event')}`
}

export function sayRoomReleased(told: Told): Html {
  const room = isKnown(told.after) && showNamed(told.said, 'bookables', told.after['bookable_id'])
  return html`released ${room || 'a room'} of the event ${showThing(told, 'event')}, because nobody checked in`
}

export function sayRoomCleared(told: Told): Html {
  return html`took ${showRoom(told, told.before)} from the event ${showThing(told, 'event')}, because it was in the way`
}

export function sayRoomMoved(told: Told): Html {
  const [from, to] = [told.before, told.after].map((row) => showRoom(told, row))
  return html`moved the event ${showThing(told, 'event')} from ${from} to ${to}`
}

const showRoom = ({ said }: Told, row: Record<string, unknown>): Content =>
  isKnown(row) ? showNamed(said, 'bookables', row['bookable_id']) : 'a room'

export function saySeriesCreated({ after }: Told): Html {
  return html`created a series of bookings${formatRepeat(after['repeat'])}`
}

export function saySeriesDeleted({ before, entry }: Told): Html {
  return html`ended series ${entry.resourceId} of bookings${formatRepeat(before['repeat'])}`
}

function formatRepeat(repeat: unknown): string {
  const { every, interval, on, until, count } = fieldsOf(repeat)
  if (every !== 'day' && every !== 'week') return ''
  const often = interval === 1 || interval === undefined ? `every ${every}` : `every ${interval} ${every}s`
  const days = numbersOf(on).map((day) => DAYS[Number(day) - 1] ?? '')
  const end =
    typeof until === 'string'
      ? ` until ${formatDate(until, 'long')}`
      : typeof count === 'number'
        ? `, ${count} times`
        : ''
  return `, ${often}${days.length > 0 ? ` on ${formatList(days)}` : ''}${end}`
}
