// From when and until when a claim asks for check-in, as the rules say when it is made. It stays what it is when the rules
// change later: nobody loses a booking by a rule that came after it.
import { addMinutes } from '../../../shared/date-times.ts'
import { timestampText } from '../../../shared/shapes/json.ts'
import { zoneOf } from '../bookables/zones.ts'
import { isWithin } from '../bookings/checks.ts'
import type { OpenSpan } from '../bookings/conflicts.ts'
import type { RuleFacts } from './rule-facts.ts'

/** Both null where nobody asks for check-in. `until` may lie behind the end: then nothing is released. */
export type CheckInWindow = { from: string | null; until: string | null }

/** What a claim asks for, and whether somebody did; `isReleased` where nobody did in time. */
export type CheckInState = {
  opensAt: string | null
  closesAt: string | null
  isCheckedIn: boolean
  isReleased: boolean
  /** Of its building. */
  zone: string
}

/** SQL: the state, of a row of bookings. */
export const CHECK_IN_STATE = `
  ${timestampText('bookings.check_in_from')} AS "opensAt", ${timestampText('bookings.check_in_until')} AS "closesAt",
  bookings.checked_in_at IS NOT NULL AS "isCheckedIn", bookings.released_at IS NOT NULL AS "isReleased",
  ${zoneOf('bookings.bookable_id')} AS zone`

export const NO_CHECK_IN: CheckInWindow = { from: null, until: null }

/** Of a new claim. Who books what has begun already has as long as everybody else. */
export function checkInWindow(facts: RuleFacts | undefined, { from }: OpenSpan, now: string): CheckInWindow {
  const check_in = facts?.rules.check_in
  if (!check_in) return NO_CHECK_IN
  return {
    from: addMinutes(from, -check_in.opens_minutes_before),
    until: addMinutes(from > now ? from : now, check_in.release_minutes_after),
  }
}

/** Of a claim that keeps its bookable. Only a start that lies ahead gives more time: else check-in could be put off for ever. */
export function changedCheckInWindow(
  facts: RuleFacts | undefined,
  before: OpenSpan & CheckInState,
  span: OpenSpan,
  now: string,
): CheckInWindow {
  const isSameStart = span.from === before.from
  if (isSameStart && (before.opensAt !== null || isWithin(span, before))) {
    return { from: before.opensAt, until: before.closesAt }
  }
  const window = checkInWindow(facts, span, now)
  if (span.from > now || before.closesAt === null || window.until === null) return window
  return { ...window, until: window.until < before.closesAt ? window.until : before.closesAt }
}

/**
 * Whether nobody checked in by the moment until which it was asked for, whether a worker has released the rest or not. What was
 * released stays so for a write that arrived before and is done after it: somebody else may have the rest by then.
 */
export function isLost(
  { to, closesAt, isCheckedIn, isReleased }: Pick<OpenSpan, 'to'> & CheckInState,
  now: string,
): boolean {
  if (isReleased) return true
  return !isCheckedIn && closesAt !== null && closesAt <= now && (to === null || closesAt < to)
}
