// Finds what is free at a given time for forms: by building, location, type and tags, and by who may book it.
import type pg from 'pg'
import { isTaken } from '../../../../shared/affected-bookings/claims.ts'
import { queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { distanceSql, naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FREE_SEARCH, freeBookablesSql } from '../../../reads/availability/free-bookables.ts'
import { parameters } from '../../../reads/rows/parameters.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  BOOKABLE,
  type BookableChoice,
  type BookableSearch,
  searchBookables,
} from '../../pages/search/choices.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'

const SHOWN = 15
const SHOWN_MAX = 150
const ALTERNATIVES_MAX = 100

export const freeQuery = {
  building: queryId(),
  location: queryId(),
  type: typeChoice(),
  tags: text({ max: 1_000 }),
  place: text({ max: 255 }),
  /** Lists up to SHOWN_MAX results instead of SHOWN. */
  all: queryFlag(),
}

type FreeSearch = BookableSearch & {
  /** The nearest to this bookable come first; it is left out itself. */
  near?: number | undefined
  /** The user to book for. Leaves out what they may not book. */
  user?: number | undefined
}
type TimeRange = { from: string; to: string }
type FreeBookables = { found: FreeBookable[]; hasMore: boolean }

const FREE_BOOKABLE = {
  ...BOOKABLE,
  tags: rows.column<string[]>('bookables.tags'),
  isFree: rows.flag('true'),
}
export type FreeBookable = rows.RowOf<typeof FREE_BOOKABLE>

const ORDER = `(SELECT building_id FROM locations WHERE id = bookables.location_id) <> plan.building_id,
  ${distanceSql('wanted', 'bookables', 'plan')}, bookables.location_id, ${naturalSql('bookables.name')}, bookables.id`

const { sql: $, values: valuesOf } = parameters(...FREE_SEARCH, 'near', 'limit')

// The order is in a column, so that Postgres knows the rows are sorted.
const FREE = `${freeBookablesSql({
  columns: `bookables.*, row_number() OVER (ORDER BY ${ORDER}) AS ordinal`,
  among: `bookables
   LEFT JOIN bookables AS wanted ON wanted.id = ${$.near}::bigint
   LEFT JOIN locations AS plan ON plan.id = wanted.location_id`,
  order: 'ordinal',
})} AND bookables.id IS DISTINCT FROM ${$.near}::bigint
  ORDER BY bookables.ordinal LIMIT ${$.limit}`

export async function listFree(
  reads: pg.Pool,
  { building, location, type, tags = [], near, user }: FreeSearch,
  { from, to }: TimeRange,
  limit = SHOWN,
): Promise<FreeBookables> {
  const values = valuesOf({
    building,
    location,
    user,
    from,
    to,
    type,
    tags: tags.length > 0 ? tags : undefined,
    near,
    limit: limit + 1,
  })
  const found = await rows.selectRows(reads, FREE_BOOKABLE, FREE, values)
  return { found: found.slice(0, limit), hasMore: found.length > limit }
}

export const resultLimit = (all: boolean | undefined) => (all ? SHOWN_MAX : SHOWN)

/** Finds bookables by words, including taken ones: a user who names one wants to see that it is taken. */
export async function searchByName(
  reads: pg.Pool,
  words: string,
  search: FreeSearch,
  { from, to }: TimeRange,
): Promise<FreeBookables> {
  const named = await searchBookables(reads, words, search)
  const found = named.slice(0, SHOWN)
  const ids = found.map(({ id }) => id)
  const among = `bookables WHERE id = ANY($1) AND ${isTaken('$2', '$3')}`
  const takenRows = await rows.selectRows(reads, { id: rows.number('id') }, among, [ids, from, to])
  const taken = new Set(takenRows.map(({ id }) => id))
  return {
    found: found.map((each) => ({ ...each, tags: [], isFree: !taken.has(each.id) })),
    hasMore: named.length > found.length,
  }
}

type AlternativeSearch = {
  bookable: Pick<BookableChoice, 'id' | 'type' | 'buildingId'>
  user: number | undefined
  span: TimeRange
  fits?: (each: FreeBookable) => boolean
}

/** Alternatives to a taken bookable: of the same type in the same building, the nearest first. */
export async function listAlternatives(
  reads: pg.Pool,
  { bookable, user, span, fits = () => true }: AlternativeSearch,
  limit: number,
): Promise<FreeBookable[]> {
  const { id: near, type, buildingId: building } = bookable
  const { found } = await listFree(reads, { building, type, user, near }, span, ALTERNATIVES_MAX)
  return found.filter(fits).slice(0, limit)
}
