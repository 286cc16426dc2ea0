// SQL: the bookings and rooms of events that are affected when an administrator makes bookables unavailable at some
// times.
import { bookableInBuildingJson } from '../bookables/bookables.ts'
import { WITH_BUILDINGS } from '../locations/locations.ts'
import { isClosedBy, type RulePlace } from '../rules/rules-shape.ts'
import { rowJson } from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { affectedClaimSchema } from './affected-bookings.ts'
import { claimsOf } from './claims.ts'

/** The bookables that close with a place: people who work at home do not need the building. */
export const isClosedWith = (place: RulePlace) => `bookables.deleted_at IS NULL AND ${isClosedBy(place)}`

export type Times = Array<{ from: string; to: string | null }>

/** SQL each: ids of bookables, times as a multirange, and users whose claims are never affected. */
type AffectedSql = { ids: string; times: string; exemptUserIds: string }

/** The ids of claims. An event counts as its organizer's. Holds are released in any case. */
export const affectedClaims = ({ ids, times, exemptUserIds }: AffectedSql): string => `
  SELECT claims.id
  FROM (${claimsOf(
    `bookings.bookable_id = ANY(CAST(${ids} AS bigint[])) AND bookings.during && range_merge(CAST(${times} AS tstzmultirange))`,
  )}) AS claims
  LEFT JOIN events ON events.id = claims.event_id
  WHERE claims.during && CAST(${times} AS tstzmultirange) AND claims.released_at IS NULL AND claims.hold_id IS NULL
    AND coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(${exemptUserIds} AS bigint[]))`

/** The times as a Postgres multirange, without past times: those affect nobody. */
export function timesText(times: Times, now: string): string {
  const ahead = times.filter(({ to }) => to === null || to > now)
  return `{${ahead.map(({ from, to }) => `[${from > now ? from : now},${to ?? ''})`).join(',')}}`
}

/** The rows of affectedClaimJson: bookings and rooms of events on these bookables at one time, with their users. */
export const affectedClaimRows = (ids: string, time: string) => `
  (${claimsOf(`bookings.bookable_id = ANY (${ids}) AND bookings.during && ${time}`)}) AS bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  ${WITH_BUILDINGS}
  LEFT JOIN events ON events.id = bookings.event_id
  JOIN users ON users.id = coalesce(bookings.user_id, events.organizer_user_id)`

export const affectedClaimJson = rowJson(affectedClaimSchema, 'bookings', {
  type: "CASE WHEN bookings.event_id IS NULL THEN 'booking' ELSE 'event' END",
  id: 'coalesce(bookings.event_id, bookings.id)',
  from: 'lower(bookings.during)',
  to: 'upper(bookings.during)',
  bookable: bookableInBuildingJson,
  user: userJson,
})
