// Computes when a booking request lapses if nobody decides on it.
import type { RuleFacts } from '../rules/broken-rules.ts'
import { addWorkingHours } from '../rules/working-hours.ts'

export const LAPSES_AFTER_WORKING_HOURS = 24

/** Returns when the request lapses: at the latest when the requested time starts or, if it has already
 * started, when it ends. */
export function findLapseTime(
  { from, to }: { from: string; to: string },
  { building, zone }: Pick<RuleFacts, 'building' | 'zone'>,
  now: string,
): string {
  const { opening_hours: hours, closed } = building.rules ?? {}
  const latest = from > now ? from : to
  return addWorkingHours(now, LAPSES_AFTER_WORKING_HOURS, { zone, hours, closed: closed ?? [] }, latest)
}
