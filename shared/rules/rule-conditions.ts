// SQL: whether the rules of its places let a user book a bookable for a time. It never allows a booking that
// these rules would refuse; it does not check rules that count a user's other bookings.
import { BOOKING_RULES, CLOSED } from './booking-rules.ts'
import { isClosedBy } from './rules-shape.ts'

// A null of a nearer place also hides the outer ones.
const nearestValue = (name: string) =>
  `coalesce(bookables.rules -> '${name}', locations.rules -> '${name}', buildings.rules -> '${name}')`

const CLOSED_TIMES = (['bookables', 'locations', 'buildings'] as const)
  .map(
    (place) => `SELECT json_array_elements(${place}.rules -> 'closed') AS closed WHERE ${isClosedBy(place)}`,
  )
  .join(' UNION ALL ')

/**
 * For rows of bookables joined with locations and buildings. Most have no rules, and then nothing is checked.
 * `to` may be null for no end, and `user` for any user.
 */
export function rulesAllow({ user, from, to, now }: Record<'user' | 'from' | 'to' | 'now', string>): string {
  const requested = {
    user: `${user}::bigint`,
    from: `${from}::timestamptz`,
    to: `${to}::timestamptz`,
    now: `${now}::timestamptz`,
    local: (moment: string) => `timezone(buildings.timezone, ${moment})`,
  }
  const conditions = Object.entries(BOOKING_RULES).flatMap(([name, rule]) => {
    if (!('allows' in rule)) return []
    const value = nearestValue(name)
    return `CASE WHEN ${value} #>> '{}' IS NULL THEN true ELSE ${rule.allows(value, requested)} END`
  })
  return `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
    ELSE ${[...conditions, CLOSED.allows(CLOSED_TIMES, requested)].join(' AND ')} END`
}
