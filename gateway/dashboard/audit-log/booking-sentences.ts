// What the audit log says of bookings: what of, for whom and when. Each sentence stands twice: of what it is a booking may
// be unknown, for the row of somebody who was erased may be empty; then there is its number alone.
import type { Html } from '../../http/html.ts'
import { type Sentence, type SentencePart, sentence, tHtml, translate } from '../language/translate.ts'
import { showChanges } from './differences.ts'
import { formatSpan, parseSpan, showNamed, type Told, withChanges } from './sentence-parts.ts'

type Row = Record<string, unknown>
type Booking = { what: SentencePart; whom: SentencePart; when: string }

const isKnown = (row: Row) => row['bookable_id'] !== undefined

const bookingOf = ({ before, after }: Told) => (isKnown(after) ? after : before)

const idOf = ({ entry }: Told) => entry.resourceId ?? '–'

const formatWhen = ({ said }: Told, row: Row) =>
  formatSpan(row['during'], said.names.find('bookables', row['bookable_id'])?.zone ?? said.zone)

/** Undefined where it is not known of what it is a booking. */
function readBooking(told: Told, row = bookingOf(told)): Booking | undefined {
  if (!isKnown(row)) return undefined
  return {
    what: showNamed(told.said, 'bookables', row['bookable_id']),
    whom: showWhom(told, row),
    when: formatWhen(told, row),
  }
}

function showWhom({ said }: Told, row: Row): SentencePart {
  const user = showNamed(said, 'users', row['user_id'])
  const guest = row['guest_name'] ?? row['guest_email']
  return typeof guest === 'string' && guest !== '' ? tHtml`${guest}, a guest of ${user}` : user
}

export function sayBooked(told: Told): Html {
  const booking = readBooking(told, told.after)
  if (!booking) return tHtml`created booking ${idOf(told)}`
  const { what, whom, when } = booking
  return withOverridden(told, tHtml`booked ${what} for ${whom}, ${when}`)
}

// What follows from the change itself.
export const AUTOMATIC = ['check_in_from', 'check_in_until', 'exclusive', 'overridden_rules']

export function sayBookingChanged(told: Told): Html {
  const [old, present] = [told.before, told.after].map((row) => readBooking(told, row))
  if (old && present) {
    const others = showChanges(told.said, told.entry, ['during', 'bookable_id', ...AUTOMATIC])
    return withOverridden(told, withChanges(sayTimesAndPlace(told, old, present), others))
  }
  const booking = present ?? old
  if (!booking) return tHtml`changed booking ${idOf(told)}`
  return tHtml`changed the booking of ${booking.what} for ${booking.whom}`
}

function sayTimesAndPlace({ before, after }: Told, old: Booking, { what, whom, when }: Booking): Html {
  const isSameTime = old.when === when
  if (before['bookable_id'] !== after['bookable_id'])
    return isSameTime
      ? tHtml`moved the booking for ${whom} from ${old.what} to ${what}, ${when}`
      : tHtml`moved the booking for ${whom} from ${old.what}, ${old.when}, to ${what}, ${when}`
  if (isSameTime) return tHtml`changed the booking of ${what} for ${whom}, ${when}`
  const [was, is] = [parseSpan(before['during']), parseSpan(after['during'])]
  if (was?.from !== is?.from)
    return tHtml`moved the booking of ${what} for ${whom} from ${old.when} to ${when}`
  return is?.to === undefined || (was?.to !== undefined && is.to > was.to)
    ? tHtml`extended the booking of ${what} for ${whom} to ${when}`
    : tHtml`shortened the booking of ${what} for ${whom} to ${when}`
}

/** To another place. */
export function sayBookingMoved(told: Told): Html {
  if (isKnown(told.before) && isKnown(told.after)) return sayBookingChanged(told)
  const booking = readBooking(told)
  if (!booking) return tHtml`moved booking ${idOf(told)}`
  return tHtml`moved the booking of ${booking.what} for ${booking.whom}`
}

export function sayBookingCancelled(told: Told): Html {
  const booking = readBooking(told)
  if (!booking) return tHtml`cancelled booking ${idOf(told)}`
  const { what, whom, when } = booking
  return tHtml`cancelled the booking of ${what} for ${whom}, ${when}`
}

/** By an administrator when somebody has left; by a timer when nobody checked in. */
export function sayBookingReleased(told: Told): Html {
  const booking = readBooking(told)
  const isNoShow = (told.after['released_at'] ?? null) !== null
  if (isNoShow) {
    const when = formatWhen(told, told.before)
    if (!booking) return tHtml`released booking ${idOf(told)}, ${when}, because nobody checked in`
    const { what, whom } = booking
    return tHtml`released the booking of ${what} for ${whom}, ${when}, because nobody checked in`
  }
  if (!booking) return tHtml`cancelled booking ${idOf(told)}, because they were deactivated`
  const { what, whom, when } = booking
  return isKnown(told.after)
    ? tHtml`ended the booking of ${what} for ${whom}, ${when}, because they were deactivated`
    : tHtml`cancelled the booking of ${what} for ${whom}, ${when}, because they were deactivated`
}

/** Of what an administrator blocked, assigned, deleted or closed. */
export function sayBookingCleared(told: Told): Html {
  const booking = readBooking(told)
  if (!booking) return tHtml`cancelled booking ${idOf(told)}, because it was in the way`
  const { what, whom, when } = booking
  return isKnown(told.after)
    ? tHtml`shortened the booking of ${what} for ${whom}, ${when}, because it was in the way`
    : tHtml`cancelled the booking of ${what} for ${whom}, ${when}, because it was in the way`
}

export function sayCheckedIn(told: Told): Html {
  const booking = readBooking(told)
  if (!booking) return tHtml`checked in to booking ${idOf(told)}`
  const { what, whom, when } = booking
  return tHtml`checked in to the booking of ${what} for ${whom}, ${when}`
}

// By the codes of the refusals that they would have been.
const OVERRIDDEN: Record<string, Sentence> = {
  closed: sentence`closed`,
  outside_opening_hours: sentence`outside opening hours`,
  too_far_ahead: sentence`too far ahead`,
  too_short: sentence`too short`,
  too_long: sentence`too long`,
  too_many_bookings: sentence`too many bookings`,
  already_booked: sentence`already booked`,
  not_for_this_user: sentence`not for this user`,
}

export function withOverridden({ after }: Told, done: Html): Html {
  const rules = after['overridden_rules']
  if (!Array.isArray(rules) || rules.length === 0) return done
  const names = rules.map((rule) => formatOverridden(String(rule)))
  return tHtml`${done}, overriding a rule (${names.join(', ')})`
}

function formatOverridden(code: string): string {
  const known = Object.hasOwn(OVERRIDDEN, code) ? OVERRIDDEN[code] : undefined
  return known === undefined ? code.replaceAll('_', ' ') : translate(known)
}
