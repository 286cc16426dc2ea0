// A listing: one definition, from which its statements come. Most listings are short and are finished by Postgres in
// one prepared statement; long ones are streamed from a cursor, and pages begin after the last item of the one before.
import type pg from 'pg'
import { onlyRow } from '../../shared/database.ts'
import type { Statement } from './statement.ts'

export type ListingDefinition = {
  /** Names its prepared statements. */
  name: string
  /** SQL: the JSON of an item. */
  item: string
  /** SQL: tables and conditions, with $1 … for `values`; a function where a page is found better from within. */
  rows: string | ((page: PageClauses) => string)
  /** What it is ordered by; together they tell every item from every other. */
  order: ReadonlyArray<{ by: string; type: 'timestamptz' | 'bigint' }>
  /** SQL: whether what it is a listing of exists; it takes the first so many of the values. */
  parent?: { exists: string; values: number }
  /** How many values the rows and items take. */
  values: number
}

/** SQL: what makes a page of all rows, each may be empty. */
export type PageClauses = { after: string; order: string; limit: string }

export type Listing = {
  whole: Statement
  parent: (Statement & { values: number }) | undefined
  first: Statement
  next: Statement
  /** What follows an item, without an end; read from a cursor. */
  rest: string
  order: ListingDefinition['order']
}

/** More than this is not finished in one piece but streamed. */
export const WHOLE_ITEMS_MAX = 2_500

// With any limit Postgres sorts the rows first and builds their JSON as they are read; without one it would build and
// sort all of it, on disk, before the first.
const NEVER_REACHED = 1_000_000_000_000

export const DATA_START = '{"data":['
export const DATA_END = ']}'

export function prepareListing({ name, item, rows, order, parent, values }: ListingDefinition): Listing {
  const by = order.map((key) => key.by).join(', ')
  const keys = order.map((key, index) => `${keyText(key)} AS key${index}`).join(', ')
  const lastKeys = order.map((key, index) => `$${values + 1 + index}::text::${key.type}`).join(', ')
  const items = (page: Partial<PageClauses>) => {
    const { after = '', limit = '' } = page
    const source =
      typeof rows === 'string' ? `${rows} ${after}` : rows({ after, limit, order: `ORDER BY ${by}` })
    return `SELECT (${item})::text AS item, ${keys} FROM ${source} ORDER BY ${by} ${limit}`
  }
  const after = `AND (${by}) > (${lastKeys})`
  return {
    whole: {
      name: `${name}-whole`,
      text: `
        SELECT CASE WHEN count(*) <= ${WHOLE_ITEMS_MAX} THEN coalesce(string_agg(item, ','), '') END AS items,
          ${parent?.exists ?? 'true'} AS found
        FROM (${items({ limit: `LIMIT ${WHOLE_ITEMS_MAX + 1}` })}) AS ordered`,
    },
    parent: parent && {
      name: `${name}-parent`,
      text: `SELECT ${parent.exists} AS found`,
      values: parent.values,
    },
    first: { name: `${name}-first`, text: items({ limit: `LIMIT $${values + 1}::int` }) },
    next: { name: `${name}-next`, text: items({ after, limit: `LIMIT $${values + order.length + 1}::int` }) },
    rest: items({ after, limit: `LIMIT ${NEVER_REACHED}` }),
    order,
  }
}

function keyText({ by, type }: ListingDefinition['order'][number]): string {
  return type === 'timestamptz'
    ? `to_char(${by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : `${by}::text`
}

type Row = Record<string, string>

/** A part of a listing; `last` is set where there are more. */
export type ListingPage = { items: string; last: string[] | undefined }

/** All of a listing, null where it is too long; undefined where that which it is a listing of does not exist. */
export async function findWhole(
  pool: pg.Pool,
  { whole }: Listing,
  values: unknown[],
): Promise<{ items: string | null } | undefined> {
  const { rows } = await pool.query<{ items: string | null; found: boolean }>({ ...whole, values })
  const { items, found } = onlyRow(rows)
  return found ? { items } : undefined
}

/** One page; `last` is set where there are more. */
export async function findPage(
  database: Pick<pg.ClientBase, 'query'>,
  listing: Listing,
  values: unknown[],
  { limit, after = [] }: { limit: number; after: string[] | undefined },
): Promise<ListingPage> {
  const statement = after.length > 0 ? listing.next : listing.first
  const { rows } = await database.query<Row>({ ...statement, values: [...values, ...after, limit + 1] })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { items: shown.map((row) => row.item).join(','), last: last && keysOf(last, listing.order) }
}

function keysOf(row: Row, order: ListingDefinition['order']): string[] {
  return order.map((_key, index) => row[`key${index}`] ?? '')
}

export async function parentExists(pool: pg.Pool, { parent }: Listing, values: unknown[]): Promise<boolean> {
  if (!parent) return true
  const { name, text } = parent
  const { rows } = await pool.query<{ found: boolean }>({
    name,
    text,
    values: values.slice(0, parent.values),
  })
  return rows[0]?.found ?? false
}
