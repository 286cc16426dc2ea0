// From when and until when a claim asks for check-in, as the rules say when it is made. It stays what it is when the rules
// change later: nobody loses a booking by a rule that came after it.
import { addMinutes } from '../../../shared/date-times.ts'
import type { OpenSpan } from '../bookings/conflicts.ts'
import type { RuleFacts } from './rule-facts.ts'

/** Both null where nobody asks for check-in; `until` is null too where the claim ends before it. */
export type CheckInWindow = { from: string | null; until: string | null }

export const NO_CHECK_IN: CheckInWindow = { from: null, until: null }

/** Who books what has begun already has as long as everybody else. */
export function checkInWindow(
  facts: RuleFacts | undefined,
  { from, to }: OpenSpan,
  now: string,
): CheckInWindow {
  const check_in = facts?.rules.check_in
  if (!check_in) return NO_CHECK_IN
  const until = addMinutes(from > now ? from : now, check_in.release_minutes_after)
  return {
    from: addMinutes(from, -check_in.opens_minutes_before),
    until: to !== null && to <= until ? null : until,
  }
}
