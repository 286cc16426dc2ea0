// Finds, for forms, bookables that are free at a given time: by building, location, type and tags, and by who
// may book them.
import type pg from 'pg'
import { isTakenSql } from '../../../../shared/affected-bookings/claims.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { distanceSql, naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FREE_SEARCH_PARAMETERS, freeBookablesSql } from '../../../reads/availability/free-bookables.ts'
import { nameSqlParameters } from '../../../reads/rows/parameters.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  BOOKABLE_CHOICE_COLUMNS,
  type BookableChoice,
  type BookableSearch,
  searchBookables,
} from '../../pages/search/choices.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'

const SHOWN_DEFAULT = 15
const SHOWN_MAX = 150
const ALTERNATIVES_MAX = 100

export const freeBookablesQuery = {
  building: queryId(),
  location: queryId(),
  type: typeChoice(),
  tags: text({ max: 1_000 }),
  place: text({ max: 255 }),
  /** Whether to list up to SHOWN_MAX results instead of SHOWN. */
  all: queryFlag(),
}

type FreeSearch = BookableSearch & {
  /** The bookable whose nearest neighbours are listed first. The bookable itself is left out. */
  near?: number | undefined
  /** The user to book for. Bookables that the user may not book are left out. */
  user?: number | undefined
}
type TimeRange = { from: string; to: string }
type FreeBookables = { found: FreeBookable[]; hasMore: boolean }

const { sql: $, values: valuesOf } = nameSqlParameters(...FREE_SEARCH_PARAMETERS, 'near', 'limit')

const FREE_BOOKABLE_COLUMNS = {
  ...BOOKABLE_CHOICE_COLUMNS,
  tags: rows.column<string[]>('bookables.tags'),
  isFree: rows.flagColumn('true'),
  /** The last day of the loan at the beginning of the time, or null. */
  lentUntil: rows.nullableColumn(rows.textColumn(lentUntilSql($.from))),
}
export type FreeBookable = rows.RowOf<typeof FREE_BOOKABLE_COLUMNS>

const NEAREST_FIRST_ORDER = `(SELECT building_id FROM locations WHERE id = bookables.location_id) <> plan.building_id,
  ${distanceSql('wanted', 'bookables', 'plan')}, bookables.location_id, ${naturalSql('bookables.name')}, bookables.id`

// The statement selects the sort order as a column, so that Postgres knows the rows are sorted.
const FREE_BOOKABLES_FROM = `${freeBookablesSql({
  columns: `bookables.*, row_number() OVER (ORDER BY ${NEAREST_FIRST_ORDER}) AS ordinal`,
  among: `bookables
   LEFT JOIN bookables AS wanted ON wanted.id = ${$.near}::bigint
   LEFT JOIN locations AS plan ON plan.id = wanted.location_id`,
  order: 'ordinal',
})} AND bookables.id IS DISTINCT FROM ${$.near}::bigint
  ORDER BY bookables.ordinal LIMIT ${$.limit}`

export async function listFreeBookables(
  reads: pg.Pool,
  { building, location, type, tags = [], near, user }: FreeSearch,
  { from, to }: TimeRange,
  limit = SHOWN_DEFAULT,
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
  const found = await rows.selectRows(reads, FREE_BOOKABLE_COLUMNS, FREE_BOOKABLES_FROM, values)
  return { found: found.slice(0, limit), hasMore: found.length > limit }
}

export const chooseShownMax = (all: boolean | undefined) => (all ? SHOWN_MAX : SHOWN_DEFAULT)

/** Finds bookables by words. Includes taken ones: a user who names a bookable wants to see that it is taken. */
export async function searchByName(
  reads: pg.Pool,
  words: string,
  search: FreeSearch,
  { from, to }: TimeRange,
): Promise<FreeBookables> {
  const named = await searchBookables(reads, words, search)
  const found = named.slice(0, SHOWN_DEFAULT)
  const ids = found.map(({ id }) => id)
  const states = await rows.selectRows(
    reads,
    {
      id: rows.numberColumn('bookables.id'),
      isTaken: rows.flagColumn(isTakenSql('$2', '$3')),
      lentUntil: rows.nullableColumn(rows.textColumn(lentUntilSql('$2'))),
    },
    `bookables ${rows.JOIN_PLACES} WHERE bookables.id = ANY($1)`,
    [ids, from, to],
  )
  const byId = new Map(states.map((state) => [state.id, state]))
  return {
    found: found.map((each) => {
      const { isTaken = true, lentUntil = null } = byId.get(each.id) ?? {}
      return { ...each, tags: [], isFree: !isTaken, lentUntil }
    }),
    hasMore: named.length > found.length,
  }
}

/** Returns the last day of the loan of this bookable at that moment, or null. */
export async function findLentUntil(reads: pg.Pool, bookableId: number, at: string): Promise<string | null> {
  const found = await rows.selectRow(
    reads,
    { lentUntil: rows.nullableColumn(rows.textColumn(lentUntilSql('$2'))) },
    `bookables ${rows.JOIN_PLACES} WHERE bookables.id = $1`,
    [bookableId, at],
  )
  return found?.lentUntil ?? null
}

type AlternativeSearch = {
  bookable: Pick<BookableChoice, 'id' | 'type' | 'buildingId'>
  user: number | undefined
  span: TimeRange
  fits?: (each: FreeBookable) => boolean
}

/** Lists alternatives to a taken bookable: bookables of the same type in the same building, with the nearest first. */
export async function listAlternatives(
  reads: pg.Pool,
  { bookable, user, span, fits = () => true }: AlternativeSearch,
  limit: number,
): Promise<FreeBookable[]> {
  const { id: near, type, buildingId: building } = bookable
  const { found } = await listFreeBookables(reads, { building, type, user, near }, span, ALTERNATIVES_MAX)
  return found.filter(fits).slice(0, limit)
}
