// When a booking request lapses that nobody decides.
import type { RuleFacts } from '../rules/broken-rules.ts'
import { addWorkingHours } from '../rules/working-hours.ts'

export const LAPSES_AFTER_WORKING_HOURS = 24

/** At the latest when it begins, or when it ends if it has begun already. */
export function findLapse(
  { from, to }: { from: string; to: string },
  { building, zone }: Pick<RuleFacts, 'building' | 'zone'>,
  now: string,
): string {
  const { opening_hours: hours, closed } = building.rules ?? {}
  const latest = from > now ? from : to
  return addWorkingHours(now, LAPSES_AFTER_WORKING_HOURS, { zone, hours, closed: closed ?? [] }, latest)
}
