// Computes when a booking request lapses if nobody decides it.
import type { RuleFacts } from '../rules/broken-rules.ts'
import { addWorkingHours } from '../rules/working-hours.ts'

export const LAPSES_AFTER_WORKING_HOURS = 24

/** Returns at the latest the start of its time, or the end if it has begun already. */
export function findLapse(
  { from, to }: { from: string; to: string },
  { building, zone }: Pick<RuleFacts, 'building' | 'zone'>,
  now: string,
): string {
  const { opening_hours: hours, closed } = building.rules ?? {}
  const latest = from > now ? from : to
  return addWorkingHours(now, LAPSES_AFTER_WORKING_HOURS, { zone, hours, closed: closed ?? [] }, latest)
}
