// Defines a listing once and makes its statements. Postgres finishes most listings, which are short, in one
// prepared statement; long ones are streamed from a cursor, and a page begins after the last item of the page
// before.
import { onlyRow } from '../../../shared/database/database.ts'
import type { Message } from '../../../shared/messages/message.ts'
import { type JsonSql, timestampText } from '../../../shared/schemas/json.ts'
import type { Database } from '../../reads/limits/building-limits.ts'

type KeyType = 'timestamptz' | 'bigint' | 'text'

export type ListingDefinition = {
  name: string
  item: JsonSql<object>
  /** SQL: tables and conditions, with $1 … for `values`. */
  rows: string | RowsInTime
  /** The sort keys with their types; together they identify each item. */
  order: Readonly<Record<string, KeyType>>
  /** SQL: whether the parent of the listing exists, with the first ones of the values. */
  parent?: string
  /** The message of the 404 if there is no parent; defaults to that of its endpoint. */
  missing?: Message
  /** An index finds all items, and they are few: the whole listing shares a connection with point reads. */
  isShort?: boolean
}

/** Rows that overlap a range of time, by their starts; a long listing is read slice by slice of its range. */
export type RowsInTime = {
  table: string
  columns: string
  overlapping: string[]
  beginning: string
  /** SQL: joins for the rest of each item; they must match every row. */
  joins: string
  /** Which of the values are the two ends of the range, counted from 1. */
  from: number
  to: number
}

type Key = { by: string; type: KeyType }

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
  order: Key[]
  missing: Message | undefined
  isShort: boolean
}

/** A longer listing is streamed instead of being finished in one piece. */
const WHOLE_ITEMS_MAX = 2_500

// With any limit, Postgres sorts the rows first and builds their JSON as they are read; without one it would
// build and sort everything, on disk, before the first row.
const NEVER_REACHED = 1_000_000_000_000

export const DATA_START = '{"data":['
export const DATA_END = ']}'

export function prepareListing(definition: ListingDefinition): Listing {
  const { name, item, rows, parent } = definition
  const order = Object.entries(definition.order).map(([by, type]) => ({ by, type }))
  const values = countValues(JSON.stringify([String(item), rows, parent]))
  const by = order.map((key) => key.by).join(', ')
  const keys = order.map((key, index) => `${keyText(key)} AS key${index}`).join(', ')
  const lastKeys = order.map((key, index) => `$${values + 1 + index}::text::${key.type}`)
  // The second condition is redundant, but an index that is sorted by another column first cannot use the
  // row comparison.
  const afterLast = `AND (${by}) > (${lastKeys.join(', ')}) AND ${order[0]?.by} >= ${lastKeys[0]}`
  const page = (after: string, limit: number) =>
    `SELECT ${item} AS item, ${keys} FROM ${pageRows(rows, after, `ORDER BY ${by} LIMIT $${limit}::int`)}`
  const inOrder = (source: string) =>
    `SELECT ${item} AS item FROM ${source} ORDER BY ${by} LIMIT ${NEVER_REACHED}`
  const inTime = typeof rows === 'string' ? undefined : rows
  return {
    whole: { name: `${name}-whole`, text: wholeText(definition, by) },
    parent: parent
      ? { name: `${name}-parent`, text: `SELECT ${parent} AS found`, values: countValues(parent) }
      : undefined,
    first: { name: `${name}-first`, text: page('', values + 1) },
    next: { name: `${name}-next`, text: page(afterLast, values + order.length + 1) },
    all: inOrder(typeof rows === 'string' ? rows : joined(rows, rows.overlapping)),
    beginning: inTime && inOrder(joined(inTime, [inTime.beginning])),
    range: inTime,
    order,
    missing: definition.missing,
    isShort: definition.isShort ?? false,
  }
}

const countValues = (sql: string) =>
  Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))

const joined = ({ table, joins }: RowsInTime, parts: string[]) =>
  `(${parts.join(' UNION ALL ')}) AS ${table} ${joins}`

// Stops once it has found too many rows, before it sorts, joins or builds any.
function wholeText({ item, rows, parent }: ListingDefinition, by: string): string {
  const end = `ORDER BY ${by} LIMIT ${WHOLE_ITEMS_MAX + 1}`
  const items = (count: string) =>
    `SELECT CASE WHEN ${count} <= ${WHOLE_ITEMS_MAX} THEN coalesce(string_agg(item, ','), '') END AS items,
       ${parent ?? 'true'} AS found`
  if (typeof rows === 'string')
    return `${items('count(*)')} FROM (SELECT ${item} AS item FROM ${rows} ${end}) AS ordered`
  const { table, columns, overlapping, joins } = rows
  const number = '(SELECT count(*) FROM known)'
  return `
    WITH known AS MATERIALIZED (
      SELECT ${columns} FROM (${overlapping.join(' UNION ALL ')}) AS ${table} LIMIT ${WHOLE_ITEMS_MAX + 1}
    )
    ${items(number)} FROM (
      SELECT ${item} AS item FROM known AS ${table} ${joins} WHERE ${number} <= ${WHOLE_ITEMS_MAX} ${end}
    ) AS ordered`
}

function pageRows(rows: ListingDefinition['rows'], after: string, end: string): string {
  if (typeof rows === 'string') return `${rows} ${after} ${end}`
  const parts = rows.overlapping.map(
    (part) => `(SELECT * FROM (${part}) AS ${rows.table} WHERE true ${after} ${end})`,
  )
  return `${joined(rows, parts)} ${end}`
}

const keyText = ({ by, type }: Key): string => (type === 'timestamptz' ? timestampText(by) : `${by}::text`)

type Row = Record<string, string>

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
): Promise<{ items: string; last: string[] | undefined }> {
  const statement = after.length > 0 ? listing.next : listing.first
  const { rows } = await database.query<Row>({ ...statement, values: [...values, ...after, limit + 1] })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    items: shown.map((row) => row.item).join(','),
    last: last && listing.order.map((_key, index) => last[`key${index}`] ?? ''),
  }
}

export async function parentExists(pool: Database, { parent }: Listing, values: unknown[]): Promise<boolean> {
  if (!parent) return true
  const { name, text } = parent
  const given = values.slice(0, parent.values)
  const { rows } = await pool.query<{ found: boolean }>({ name, text, values: given })
  return rows[0]?.found ?? false
}

/** Prepared once per connection under its name. */
export type Statement = { name: string; text: string }

export async function findText(
  database: Database,
  { name, text }: Statement,
  values: unknown[],
): Promise<string | undefined> {
  const { rows } = await database.query<{ body: string }>({ name, text, values })
  return rows[0]?.body
}
