// Queries for the bookings and events that are in the way of an administrator's change.
import type pg from 'pg'
import {
  claimsInTheWay,
  isClosedWith,
  type Times,
  timesText,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import { timestampText } from '../../../shared/schemas/json.ts'

/** Which bookables become unavailable, when (by default from now on), and the users whose claims do not matter. */
export type ConflictSearch = { ids: number[]; times?: Times; keptUsers?: number[] }

export type ClaimInTheWay = {
  id: number
  eventId: number | null
  who: string
  bookable: string
  from: string
  to: string | null
  zone: string
}

export async function countInTheWay(reads: pg.Pool, search: ConflictSearch, now: string): Promise<number> {
  const { rows } = await reads.query<{ number: number }>(
    `SELECT count(*)::int AS number FROM (${IN_THE_WAY}) AS claims`,
    valuesOf(search, now),
  )
  return rows[0]?.number ?? 0
}

export async function listInTheWay(
  reads: pg.Pool,
  search: ConflictSearch,
  { now, limit }: { now: string; limit: number },
): Promise<ClaimInTheWay[]> {
  const { rows } = await reads.query<ClaimInTheWay>(
    `SELECT bookings.id, bookings.event_id AS "eventId", bookables.name AS bookable, buildings.timezone AS zone,
       coalesce(users.name, events.name || ' (' || organizers.name || ')') AS who,
       ${timestampText('lower(bookings.during)')} AS "from", ${timestampText('upper(bookings.during)')} AS "to"
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.id IN (${IN_THE_WAY})
     ORDER BY lower(bookings.during), bookings.id LIMIT $4`,
    [...valuesOf(search, now), limit],
  )
  return rows
}

const IN_THE_WAY = claimsInTheWay({ ids: '$1', times: '$2', exemptUserIds: '$3' })

const valuesOf = ({ ids, times, keptUsers = [] }: ConflictSearch, now: string) => [
  ids,
  timesText(times ?? [{ from: now, to: null }], now),
  keptUsers,
]

export async function listBookablesIn(reads: pg.Pool, place: RulePlace, id: number): Promise<number[]> {
  const { rows } = await reads.query<{ id: number }>(
    `SELECT bookables.id FROM bookables
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE ${place}.id = $1 AND ${isClosedWith(place)}`,
    [id],
  )
  return rows.map((row) => row.id)
}
