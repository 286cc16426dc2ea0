// SQL for the bookings and event rooms that are affected when an administrator makes bookables unavailable.
import { bookableInBuildingJson } from '../bookables/bookables.ts'
import { JOIN_BUILDINGS_SQL } from '../locations/locations.ts'
import { isClosedBySql, type RulePlace } from '../rules/rules-shape.ts'
import { rowJson } from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { affectedClaimSchema } from './affected-bookings.ts'
import { claimsSql } from './claims.ts'

/** SQL condition that the bookable closes when its place closes. Home offices stay open, because they do not
 * need the building. */
export const isClosedWithPlaceSql = (place: RulePlace) =>
  `bookables.deleted_at IS NULL AND ${isClosedBySql(place)}`

export type AffectedTimes = Array<{ from: string; to: string | null }>

/**
 * Each field is SQL: `ids` selects bookables, `times` is a multirange, and claims of `exemptUserIds` are never
 * affected.
 */
type AffectedSql = { ids: string; times: string; exemptUserIds: string }

/**
 * SQL that selects the ids of affected claims. Rooms of an event count as claims of its organizer. Holds are always
 * released.
 */
export const affectedClaimsSql = ({ ids, times, exemptUserIds }: AffectedSql): string => `
  SELECT claims.id
  FROM (${claimsSql(
    `bookings.bookable_id = ANY(CAST(${ids} AS bigint[])) AND bookings.during && range_merge(CAST(${times} AS tstzmultirange))`,
  )}) AS claims
  LEFT JOIN events ON events.id = claims.event_id
  WHERE claims.during && CAST(${times} AS tstzmultirange) AND claims.released_at IS NULL AND claims.hold_id IS NULL
    AND coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(${exemptUserIds} AS bigint[]))`

/** Formats times as a Postgres multirange. Leaves out times that are over, because they affect nobody. */
export function formatMultirange(times: AffectedTimes, now: string): string {
  const ahead = times.filter(({ to }) => to === null || to > now)
  return `{${ahead.map(({ from, to }) => `[${from > now ? from : now},${to ?? ''})`).join(',')}}`
}

/** SQL for the rows that affectedClaimJson reads, which are the bookings and event rooms on these bookables
 * at one time, with their users. */
export const affectedClaimRowsSql = (ids: string, time: string) => `
  (${claimsSql(`bookings.bookable_id = ANY (${ids}) AND bookings.during && ${time}`)}) AS bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  ${JOIN_BUILDINGS_SQL}
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
