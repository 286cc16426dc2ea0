// Finds what is free at a given time for forms: by building, location, type and tags, and by who may book it.
import type pg from 'pg'
import { isTaken } from '../../../shared/affected-bookings/claims.ts'
import { distanceSql } from '../../../shared/schemas/distance.ts'
import { queryFlag, queryId, text } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { freeBookablesSql } from '../../api/availability/availability-queries.ts'
import { type BookableChoice, searchBookables } from '../search/choices.ts'
import { typeChoice } from '../ui/bookables.ts'

const SHOWN = 15
const SHOWN_MAX = 150

export const freeQuery = {
  building: queryId(),
  location: queryId(),
  type: typeChoice(),
  tags: text({ max: 1_000 }),
  place: text({ max: 255 }),
  /** Lists up to SHOWN_MAX results instead of SHOWN. */
  all: queryFlag(),
}

export type FreeSearch = {
  building?: number | undefined
  location?: number | undefined
  type?: number | undefined
  tags?: string[]
  capacity?: number
  /** The bookable to find an alternative to. It is left out, and the nearest ones come first. */
  near?: number
  /** The user to book for: what they may not book is left out. */
  user?: number | undefined
}
type Span = { from: string; to: string }

export type FreeBookable = Pick<
  BookableChoice,
  'id' | 'name' | 'type' | 'status' | 'capacity' | 'location' | 'building'
> & {
  tags: string[]
  zone: string
  isFree: boolean
}

const ORDER = `${distanceSql('wanted', 'bookables', 'plan')}, bookables.location_id, ${naturalSql('bookables.name')}, bookables.id`

// $9 is the bookable to find an alternative to, $10 the limit. The order is in a column, so that Postgres
// knows the rows are sorted.
const FREE = `
  SELECT bookables.id, bookables.name, bookables.type, bookables.status, bookables.capacity, bookables.tags,
    locations.name AS location, buildings.name AS building, buildings.timezone AS zone, true AS "isFree"
  FROM ${freeBookablesSql(
    `bookables.*, row_number() OVER (ORDER BY ${ORDER}) AS ordinal`,
    `bookables
     LEFT JOIN bookables AS wanted ON wanted.id = $9::bigint LEFT JOIN locations AS plan ON plan.id = wanted.location_id`,
    'ordinal',
  )} AND bookables.id IS DISTINCT FROM $9::bigint
  ORDER BY bookables.ordinal LIMIT $10`

export async function listFree(
  reads: pg.Pool,
  search: FreeSearch,
  { from, to }: Span,
  { limit = SHOWN }: { limit?: number } = {},
): Promise<{ found: FreeBookable[]; hasMore: boolean }> {
  const { building, location, type, tags = [], capacity, near, user } = search
  const wantedTags = tags.length > 0 ? tags : undefined
  const asked = [building, location, user, from, to, type, wantedTags, capacity, near, limit + 1]
  const values = asked.map((value) => value ?? null)
  const { rows } = await reads.query<FreeBookable>(FREE, values)
  return { found: rows.slice(0, limit), hasMore: rows.length > limit }
}

export const shownAtOnce = (all: boolean | undefined) => (all ? SHOWN_MAX : SHOWN)

/** Finds bookables by words, including taken ones: a user who names one wants to see that it is taken. */
export async function searchByName(
  reads: pg.Pool,
  words: string,
  search: FreeSearch,
  { from, to }: Span,
): Promise<{ found: FreeBookable[]; hasMore: boolean }> {
  const named = await searchBookables(reads, words, search)
  const found = named.slice(0, SHOWN)
  const { rows } = await reads.query<{ id: number }>(
    `SELECT id FROM bookables WHERE id = ANY($1) AND ${isTaken('$2', '$3')}`,
    [found.map(({ id }) => id), from, to],
  )
  const taken = new Set(rows.map(({ id }) => id))
  return {
    found: found.map((each) => ({ ...each, tags: [], isFree: !taken.has(each.id) })),
    hasMore: named.length > found.length,
  }
}
