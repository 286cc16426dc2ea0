// Queries for the bookings and events that an administrator's change would affect.
import type pg from 'pg'
import {
  affectedClaims,
  isClosedWith,
  type Times,
  timesText,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import * as rows from '../search/rows.ts'
import { number, orNull, selectRows, text } from '../search/rows.ts'

/** Which bookables become unavailable, when (by default from now on), and the users whose claims do not matter. */
export type AffectedSearch = { ids: number[]; times?: Times; keptUsers?: number[] }

const CLAIM = {
  ...rows.CLAIMED,
  id: number('bookings.id'),
  eventId: orNull(number('bookings.event_id')),
  who: text("coalesce(users.name, events.name || ' (' || organizers.name || ')')"),
  bookable: text('bookables.name'),
  zone: rows.PLACE.zone,
}
export type AffectedClaim = rows.RowOf<typeof CLAIM>

export async function countAffectedClaims(
  reads: pg.Pool,
  search: AffectedSearch,
  now: string,
): Promise<number> {
  const counted = { number: number('count(*)::int') }
  return onlyRow(await selectRows(reads, counted, `(${AFFECTED_CLAIMS}) AS claims`, valuesOf(search, now)))
    .number
}

export const listAffectedClaims = (
  reads: pg.Pool,
  search: AffectedSearch,
  { now, limit }: { now: string; limit: number },
) =>
  selectRows(
    reads,
    CLAIM,
    `bookings ${rows.JOIN_BOOKABLES}
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.id IN (${AFFECTED_CLAIMS})
     ORDER BY lower(bookings.during), bookings.id LIMIT $4`,
    [...valuesOf(search, now), limit],
  )

const AFFECTED_CLAIMS = affectedClaims({ ids: '$1', times: '$2', exemptUserIds: '$3' })

const valuesOf = ({ ids, times, keptUsers = [] }: AffectedSearch, now: string) => [
  ids,
  timesText(times ?? [{ from: now, to: null }], now),
  keptUsers,
]

export async function listBookablesIn(reads: pg.Pool, place: RulePlace, id: number): Promise<number[]> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE ${place}.id = $1 AND ${isClosedWith(place)}`
  return (await selectRows(reads, { id: number('bookables.id') }, found, [id])).map((row) => row.id)
}
