// Computes the check-in window of a claim, from the rules at the time when the claim is made. Later changes
// of the rules do not change the window, so nobody loses an existing booking because of a new rule.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import { formatLocalDate, fromWallClock } from '../../../shared/schemas/wall-clock.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { isWithinTimeRange } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { zoneSql } from '../claims/locks.ts'

/**
 * The time in which a check-in is possible. Both fields are null if no check-in is required. If `until` is after the
 * end of the claim, the claim is never released.
 */
export type CheckInWindow = { from: string | null; until: string | null }

/**
 * The check-in that a claim requires, and whether somebody has checked in. `isReleased` is set if the claim was
 * released because nobody checked in by the deadline.
 */
export type CheckInState = {
  opensAt: string | null
  closesAt: string | null
  isCheckedIn: boolean
  isReleased: boolean
  /** The time zone of the building. */
  zone: string
}

/** SQL for the check-in state of a row of `bookings`. */
export const CHECK_IN_STATE_SQL = `
  ${timestampText('bookings.check_in_from')} AS "opensAt", ${timestampText('bookings.check_in_until')} AS "closesAt",
  bookings.checked_in_at IS NOT NULL AS "isCheckedIn", bookings.released_at IS NOT NULL AS "isReleased",
  ${zoneSql('bookings.bookable_id')} AS zone`

/** SQL for the columns of a claim that determine its check-in. */
export const CHECK_IN_COLUMNS_SQL = `${spanColumns('bookings')}, ${CHECK_IN_STATE_SQL}`

export type CheckIn = OpenTimeRange & CheckInState

export const NO_CHECK_IN: CheckInWindow = { from: null, until: null }

/**
 * Returns the window of a new claim. If the start has already passed, the usual check-in time counts from now. If the
 * rules set a time of day by which everybody checks in and the booking starts before that, the window lasts until then.
 */
export function computeCheckInWindow(facts: RuleFacts | undefined, { from }: OpenTimeRange, now: string) {
  const check_in = facts?.rules.check_in
  if (!check_in) return NO_CHECK_IN
  const usual = addMinutes(from > now ? from : now, check_in.release_minutes_after)
  const due = check_in.by && getTimeOnSameDay(from, check_in.by, facts.zone)
  const isDue = due && from < due && (from > now || usual < due)
  return { from: addMinutes(from, -check_in.opens_minutes_before), until: isDue ? due : usual }
}

const getTimeOnSameDay = (instant: string, time: string, zone: string) =>
  fromWallClock(Date.parse(`${formatLocalDate(instant, zone)}T${time}Z`), zone)

/**
 * Returns the window of a changed claim that keeps its bookable. Only a new start in the future extends the window, so
 * nobody can postpone their check-in forever.
 */
export function computeChangedCheckInWindow(
  facts: RuleFacts | undefined,
  before: CheckIn,
  span: OpenTimeRange,
  now: string,
): CheckInWindow {
  const isSameStart = span.from === before.from
  if (isSameStart && (before.opensAt !== null || isWithinTimeRange(span, before))) {
    return { from: before.opensAt, until: before.closesAt }
  }
  const window = computeCheckInWindow(facts, span, now)
  if (span.from > now || before.closesAt === null || window.until === null) return window
  return { ...window, until: window.until < before.closesAt ? window.until : before.closesAt }
}

/**
 * Returns whether nobody checked in by the deadline, even if the claim has not been released yet. If the claim was
 * released after this write arrived, the check-in also counts as missed, because somebody else may already have booked
 * the remaining time.
 */
export function isCheckInMissed({ to, closesAt, isCheckedIn, isReleased }: CheckIn, now: string): boolean {
  if (isReleased) return true
  return !isCheckedIn && closesAt !== null && closesAt <= now && (to === null || closesAt < to)
}

export function refuseClosedCheckIn(claim: CheckIn, now: string): void {
  refuseMissedCheckIn(claim, now)
  const { from, to, opensAt, zone } = claim
  if (to !== null && to <= now)
    throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }}.`)
  const opens = opensAt ?? from
  if (now >= opens) return
  throw new Refusal('check_in_too_early', message`Check-in opens at ${{ at: opens, zone }}.`)
}

/** Refuses a claim whose check-in was missed. Neither checking in nor changing the booking is possible any more. */
export function refuseMissedCheckIn(claim: CheckIn, now: string): void {
  if (!isCheckInMissed(claim, now)) return
  const { closesAt, to, zone } = claim
  const until = { at: closesAt ?? to ?? now, zone }
  throw new Refusal('booking_ended', message`Nobody checked in by ${until}, so the booking was released.`)
}
