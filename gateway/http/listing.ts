// Defines a listing once and makes its statements. Postgres finishes most listings, which are short, in one
// prepared statement; long ones are streamed from a cursor, and a page begins after the last item of the page
// before.
import { onlyRow } from '../../shared/database/database.ts'
import type { JsonSql } from '../../shared/schemas/json.ts'
import { timestampText } from '../../shared/schemas/json.ts'
import type { Database, Statement } from './statement.ts'

export type ListingDefinition = {
  /** The prefix of its prepared statements. */
  name: string
  item: JsonSql<object>
  /** SQL: tables and conditions, with $1 … for `values`. */
  rows: string | RowsInTime
  /** The sort order; together these keys identify each item. */
  order: ReadonlyArray<{ by: string; type: 'timestamptz' | 'bigint' | 'text' }>
  /** SQL: whether the parent of the listing exists; it takes the first `values` of the values. */
  parent?: { exists: string; values: number }
  /** How many values the rows and items take. */
  values: number
}

/**
 * Rows of a table that overlap a range of time, in the order of their starts. A long listing of them can be
 * read slice by slice of its range.
 */
export type RowsInTime = {
  table: string
  /** The columns that the item or the joins need. */
  columns: string
  /** SQL: the rows that overlap the range, in parts. */
  overlapping: string[]
  /** SQL: the rows that begin in the range. */
  beginning: string
  /** SQL: joins for the rest of each item; they must match every row. */
  joins: string
  /** Which of the values are the two ends of the range, counted from 1. */
  from: number
  to: number
}

export type Listing = {
  whole: Statement
  parent: (Statement & { values: number }) | undefined
  first: Statement
  next: Statement
  /** All items, without a limit; read from a cursor. */
  all: string
  /** All items except those that began before the range: what is left after the first slice. */
  beginning: string | undefined
  range: Pick<RowsInTime, 'from' | 'to'> | undefined
  order: ListingDefinition['order']
}

/** A longer listing is streamed instead of being finished in one piece. */
const WHOLE_ITEMS_MAX = 2_500

// With any limit, Postgres sorts the rows first and builds their JSON as they are read; without one it would
// build and sort everything, on disk, before the first row.
const NEVER_REACHED = 1_000_000_000_000

export const DATA_START = '{"data":['
export const DATA_END = ']}'

export function prepareListing(definition: ListingDefinition): Listing {
  const { name, rows, order, parent, values } = definition
  const sql = new ListingSql(definition)
  return {
    whole: { name: `${name}-whole`, text: sql.whole() },
    parent: parent && {
      name: `${name}-parent`,
      text: `SELECT ${parent.exists} AS found`,
      values: parent.values,
    },
    first: { name: `${name}-first`, text: sql.page(`$${values + 1}::int`) },
    next: { name: `${name}-next`, text: sql.page(`$${values + order.length + 1}::int`, { isNext: true }) },
    all: sql.all(),
    beginning: typeof rows === 'string' ? undefined : sql.beginning(rows),
    range: typeof rows === 'string' ? undefined : { from: rows.from, to: rows.to },
    order,
  }
}

class ListingSql {
  readonly #definition: ListingDefinition
  readonly #by: string
  readonly #keys: string
  readonly #lastKeys: string[]

  constructor(definition: ListingDefinition) {
    const { order, values } = definition
    this.#definition = definition
    this.#by = order.map((key) => key.by).join(', ')
    this.#keys = order.map((key, index) => `${keyText(key)} AS key${index}`).join(', ')
    this.#lastKeys = order.map((key, index) => `$${values + 1 + index}::text::${key.type}`)
  }

  // Stops once it has found too many rows, before it sorts, joins or builds any.
  whole(): string {
    const { rows, parent } = this.#definition
    const end = `ORDER BY ${this.#by} LIMIT ${WHOLE_ITEMS_MAX + 1}`
    const exists = `${parent?.exists ?? 'true'} AS found`
    const items = (count: string) =>
      `SELECT CASE WHEN ${count} <= ${WHOLE_ITEMS_MAX} THEN coalesce(string_agg(item, ','), '') END AS items, ${exists}`
    if (typeof rows === 'string') {
      return `${items('count(*)')} FROM (SELECT ${this.#definition.item} AS item FROM ${rows} ${end}) AS ordered`
    }
    const { table, columns, overlapping, joins } = rows
    const number = '(SELECT count(*) FROM known)'
    return `
      WITH known AS MATERIALIZED (
        SELECT ${columns} FROM (${overlapping.join(' UNION ALL ')}) AS ${table} LIMIT ${WHOLE_ITEMS_MAX + 1}
      )
      ${items(number)} FROM (
        SELECT ${this.#definition.item} AS item FROM known AS ${table} ${joins}
        WHERE ${number} <= ${WHOLE_ITEMS_MAX} ${end}
      ) AS ordered`
  }

  page(limit: string, { isNext = false } = {}): string {
    const [by, lastKey] = [this.#definition.order[0]?.by, this.#lastKeys[0]]
    // The second condition is redundant, but an index that is sorted by another column first cannot use the
    // row comparison.
    const after = isNext ? `AND (${this.#by}) > (${this.#lastKeys.join(', ')}) AND ${by} >= ${lastKey}` : ''
    const end = `ORDER BY ${this.#by} LIMIT ${limit}`
    const { rows } = this.#definition
    if (typeof rows === 'string') return this.#select(`${rows} ${after} ${end}`)
    const { table, overlapping, joins } = rows
    const parts = overlapping.map(
      (part) => `(SELECT * FROM (${part}) AS ${table} WHERE true ${after} ${end})`,
    )
    return this.#select(`(${parts.join(' UNION ALL ')}) AS ${table} ${joins} ${end}`)
  }

  all(): string {
    const { rows } = this.#definition
    if (typeof rows === 'string') return this.#inOrder(rows)
    const { table, overlapping, joins } = rows
    return this.#inOrder(`(${overlapping.join(' UNION ALL ')}) AS ${table} ${joins}`)
  }

  beginning({ table, beginning, joins }: RowsInTime): string {
    return this.#inOrder(`(${beginning}) AS ${table} ${joins}`)
  }

  #select(source: string): string {
    return `SELECT ${this.#definition.item} AS item, ${this.#keys} FROM ${source}`
  }

  #inOrder(source: string): string {
    return `SELECT ${this.#definition.item} AS item FROM ${source} ORDER BY ${this.#by} LIMIT ${NEVER_REACHED}`
  }
}

function keyText({ by, type }: ListingDefinition['order'][number]): string {
  return type === 'timestamptz' ? timestampText(by) : `${by}::text`
}

type Row = Record<string, string>

/** A part of a listing; `last` is set if there are more items. */
type ListingPage = { items: string; last: string[] | undefined }

/** The whole listing: `items` is null if it is too long. Undefined if its parent does not exist. */
export async function findWhole(
  pool: Database,
  { whole }: Listing,
  values: unknown[],
): Promise<{ items: string | null } | undefined> {
  const { rows } = await pool.query<{ items: string | null; found: boolean }>({ ...whole, values })
  const { items, found } = onlyRow(rows)
  return found ? { items } : undefined
}

/** One page; `last` is set if there are more items. */
export async function findPage(
  database: Database,
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

export async function parentExists(pool: Database, { parent }: Listing, values: unknown[]): Promise<boolean> {
  if (!parent) return true
  const { name, text } = parent
  const { rows } = await pool.query<{ found: boolean }>({
    name,
    text,
    values: values.slice(0, parent.values),
  })
  return rows[0]?.found ?? false
}
