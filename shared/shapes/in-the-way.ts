// SQL: the bookings and rooms of events that are in the way of whoever takes bookables away at some times.
import { claimsOf } from './claims.ts'

export type Times = Array<{ from: string; to: string | null }>

/** SQL each: ids of bookables, times as a multirange, and the users whose claims are in nobody's way. */
type Taken = { ids: string; times: string; keptUsers: string }

/** Ids of claims. An event is its organizer's. */
export const claimsInTheWay = ({ ids, times, keptUsers }: Taken): string => `
  SELECT claims.id
  FROM (${claimsOf(
    `bookings.bookable_id = ANY(CAST(${ids} AS bigint[])) AND bookings.during && range_merge(CAST(${times} AS tstzmultirange))`,
  )}) AS claims
  LEFT JOIN events ON events.id = claims.event_id
  WHERE claims.during && CAST(${times} AS tstzmultirange)
    AND coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(${keptUsers} AS bigint[]))`

/** As Postgres reads a multirange: what is over is in nobody's way. */
export function timesText(times: Times, now: string): string {
  const ahead = times.filter(({ to }) => to === null || to > now)
  return `{${ahead.map(({ from, to }) => `[${from > now ? from : now},${to ?? ''})`).join(',')}}`
}
