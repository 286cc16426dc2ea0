// Queries for the bookings and events that are in the way of an administrator's change.
import type pg from 'pg'
import {
  claimsInTheWay,
  isClosedWith,
  type Times,
  timesText,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import * as rows from '../search/rows.ts'
import { number, orNull, selectRows, text } from '../search/rows.ts'

/** Which bookables become unavailable, when (by default from now on), and the users whose claims do not matter. */
export type ConflictSearch = { ids: number[]; times?: Times; keptUsers?: number[] }

const CLAIM = {
  ...rows.CLAIMED,
  id: number('bookings.id'),
  eventId: orNull(number('bookings.event_id')),
  who: text("coalesce(users.name, events.name || ' (' || organizers.name || ')')"),
  bookable: text('bookables.name'),
  zone: rows.PLACE.zone,
}
export type ClaimInTheWay = rows.RowOf<typeof CLAIM>

export async function countInTheWay(reads: pg.Pool, search: ConflictSearch, now: string): Promise<number> {
  const counted = { number: number('count(*)::int') }
  return onlyRow(await selectRows(reads, counted, `(${IN_THE_WAY}) AS claims`, valuesOf(search, now))).number
}

export const listInTheWay = (
  reads: pg.Pool,
  search: ConflictSearch,
  { now, limit }: { now: string; limit: number },
) =>
  selectRows(
    reads,
    CLAIM,
    `bookings ${rows.JOIN_BOOKABLES}
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.id IN (${IN_THE_WAY})
     ORDER BY lower(bookings.during), bookings.id LIMIT $4`,
    [...valuesOf(search, now), limit],
  )

const IN_THE_WAY = claimsInTheWay({ ids: '$1', times: '$2', exemptUserIds: '$3' })

const valuesOf = ({ ids, times, keptUsers = [] }: ConflictSearch, now: string) => [
  ids,
  timesText(times ?? [{ from: now, to: null }], now),
  keptUsers,
]

export async function listBookablesIn(reads: pg.Pool, place: RulePlace, id: number): Promise<number[]> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE ${place}.id = $1 AND ${isClosedWith(place)}`
  return (await selectRows(reads, { id: number('bookables.id') }, found, [id])).map((row) => row.id)
}
