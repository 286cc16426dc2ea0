// A listing: one definition, from which its statements come. Most listings are short and are finished by Postgres in
// one prepared statement; long ones are streamed from a cursor, and pages begin after the last item of the one before.
import type pg from 'pg'
import type { Statement } from './statement.ts'

export type Listing = {
  /** Names its prepared statements. */
  name: string
  /** SQL: the JSON of an item. */
  item: string
  /** SQL: tables and conditions, with $1 … for `values`. */
  rows: string
  /** What it is ordered by; together they tell every item from every other. */
  order: ReadonlyArray<{ by: string; type: 'timestamptz' | 'bigint' }>
  /** SQL: whether what it is a listing of exists; it takes the first so many of the values. */
  parent?: { exists: string; values: number }
  /** How many values the rows and items take. */
  values: number
}

export type Statements = {
  whole: Statement
  parent: (Statement & { values: number }) | undefined
  first: Statement
  next: Statement
  all: string
  order: Listing['order']
}

/** More than this is not finished in one piece but streamed. */
export const WHOLE_ITEMS_MAX = 2_500

export const DATA_START = '{"data":['
export const DATA_END = ']}'

export function prepareListing({ name, item, rows, order, parent, values }: Listing): Statements {
  const by = order.map((key) => key.by).join(', ')
  const keys = order.map((key, index) => `${keyText(key)} AS key${index}`)
  const items = `SELECT (${item})::text AS item, ${keys.join(', ')} FROM ${rows}`
  const after = order.map((key, index) => `$${values + 2 + index}::text::${key.type}`).join(', ')
  const limit = `$${values + 1}::int`
  return {
    whole: {
      name: `${name}-whole`,
      text: `
        SELECT '${DATA_START}' || coalesce(string_agg(item, ','), '') || '${DATA_END}' AS body,
          count(*)::int AS number, ${parent?.exists ?? 'true'} AS found
        FROM (SELECT (${item})::text AS item FROM ${rows} ORDER BY ${by} LIMIT ${WHOLE_ITEMS_MAX + 1}) AS items`,
    },
    parent: parent && {
      name: `${name}-parent`,
      text: `SELECT ${parent.exists} AS found`,
      values: parent.values,
    },
    first: { name: `${name}-first`, text: `${items} ORDER BY ${by} LIMIT ${limit}` },
    next: { name: `${name}-next`, text: `${items} AND (${by}) > (${after}) ORDER BY ${by} LIMIT ${limit}` },
    all: `SELECT (${item})::text AS item FROM ${rows} ORDER BY ${by}`,
    order,
  }
}

function keyText({ by, type }: Listing['order'][number]): string {
  return type === 'timestamptz'
    ? `to_char(${by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : `${by}::text`
}

export type Whole = { body: string; number: number; found: boolean }

export async function findWhole(pool: pg.Pool, { whole }: Statements, values: unknown[]): Promise<Whole> {
  const { rows } = await pool.query<Whole>({ ...whole, values })
  return rows[0] ?? { body: DATA_START + DATA_END, number: 0, found: false }
}

export type Page = { items: string[]; last: string[] | undefined }

/** `last` is set where there are more: the keys of the last item. */
export async function findPage(
  pool: pg.Pool,
  statements: Statements,
  values: unknown[],
  { limit, after }: { limit: number; after: string[] | undefined },
): Promise<Page> {
  const statement = after ? statements.next : statements.first
  const { rows } = await pool.query<Record<string, string>>({
    ...statement,
    values: [...values, limit + 1, ...(after ?? [])],
  })
  const shown = rows.slice(0, limit)
  const items = shown.map((row) => row.item ?? '')
  const lastRow = rows.length > limit ? shown.at(-1) : undefined
  if (!lastRow) return { items, last: undefined }
  return {
    items,
    last: Array.from({ length: statements.order.length }, (_none, index) => lastRow[`key${index}`] ?? ''),
  }
}

export async function existsParent(
  pool: pg.Pool,
  { parent }: Statements,
  values: unknown[],
): Promise<boolean> {
  if (!parent) return true
  const { name, text } = parent
  const { rows } = await pool.query<{ found: boolean }>({
    name,
    text,
    values: values.slice(0, parent.values),
  })
  return rows[0]?.found ?? false
}
