// The check-in window of a claim, as the rules define it when the claim is made. Later changes of the rules
// do not affect it: no booking is lost to a rule that came after it.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import { formatLocalDate, fromWallClock } from '../../../shared/schemas/wall-clock.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { isWithin } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { zoneOf } from '../claims/locks.ts'

/** Both are null if no check-in is required. If `until` is after the end, nothing is released. */
export type CheckInWindow = { from: string | null; until: string | null }

/** What a claim requires, and whether somebody checked in; `isReleased` if nobody did in time. */
export type CheckInState = {
  opensAt: string | null
  closesAt: string | null
  isCheckedIn: boolean
  isReleased: boolean
  /** The building's time zone. */
  zone: string
}

/** SQL for the state of a row of bookings. */
export const CHECK_IN_STATE = `
  ${timestampText('bookings.check_in_from')} AS "opensAt", ${timestampText('bookings.check_in_until')} AS "closesAt",
  bookings.checked_in_at IS NOT NULL AS "isCheckedIn", bookings.released_at IS NOT NULL AS "isReleased",
  ${zoneOf('bookings.bookable_id')} AS zone`

/** SQL for the columns of a claim that check-in depends on. */
export const CHECK_IN_COLUMNS = `${spanColumns('bookings')}, ${CHECK_IN_STATE}`

export type CheckIn = OpenTimeRange & CheckInState

export const NO_CHECK_IN: CheckInWindow = { from: null, until: null }

/**
 * The window of a new claim. A booking whose start has already passed gets the usual time from now, and one that begins
 * before the time of day by which all check in has until then.
 */
export function checkInWindow(facts: RuleFacts | undefined, { from }: OpenTimeRange, now: string) {
  const check_in = facts?.rules.check_in
  if (!check_in) return NO_CHECK_IN
  const usual = addMinutes(from > now ? from : now, check_in.release_minutes_after)
  const due = check_in.by && onThatDay(from, check_in.by, facts.zone)
  const isDue = due && from < due && (from > now || usual < due)
  return { from: addMinutes(from, -check_in.opens_minutes_before), until: isDue ? due : usual }
}

const onThatDay = (instant: string, time: string, zone: string) =>
  fromWallClock(Date.parse(`${formatLocalDate(instant, zone)}T${time}Z`), zone)

/** For a claim that keeps its bookable. Only a start in the future extends it: nobody puts it off forever. */
export function changedCheckInWindow(
  facts: RuleFacts | undefined,
  before: CheckIn,
  span: OpenTimeRange,
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
 * Whether nobody checked in by the deadline, released already or not. A release also counts for a write that
 * arrived before it and runs after it: somebody else may have the rest by then.
 */
export function isLost({ to, closesAt, isCheckedIn, isReleased }: CheckIn, now: string): boolean {
  if (isReleased) return true
  return !isCheckedIn && closesAt !== null && closesAt <= now && (to === null || closesAt < to)
}

export function refuseCheckIn(claim: CheckIn, now: string): void {
  refuseLost(claim, now)
  const { from, to, opensAt, zone } = claim
  if (to !== null && to <= now)
    throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }}.`)
  const opens = opensAt ?? from
  if (now >= opens) return
  throw new Refusal('check_in_too_early', message`Check-in opens at ${{ at: opens, zone }}.`)
}

/** A released booking cannot be recovered by checking in or changing it. */
export function refuseLost(claim: CheckIn, now: string): void {
  if (!isLost(claim, now)) return
  const { closesAt, to, zone } = claim
  const until = { at: closesAt ?? to ?? now, zone }
  throw new Refusal('booking_ended', message`Nobody checked in by ${until}: it was released.`)
}
