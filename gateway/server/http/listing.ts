// Defines a listing once, and builds its statements. Most listings are short, and Postgres reads them with
// one prepared statement. Long listings are streamed from a cursor. Each page begins after the last item of
// the previous page.
import { getOnlyRow } from '../../../shared/database/database.ts'
import type { Message } from '../../../shared/messages/message.ts'
import { type JsonSql, timestampText } from '../../../shared/schemas/json.ts'
import type { LimitedDatabase } from '../../reads/limits/building-limits.ts'

type KeyType = 'timestamptz' | 'bigint' | 'text'

export type ListingDefinition = {
  name: string
  item: JsonSql<object>
  /** SQL of the tables and conditions, where $1 and so on are the `values`. */
  rows: string | TimeRangeRows
  /** The sort keys with their types. Together, the keys identify each item. */
  order: Readonly<Record<string, KeyType>>
  /** SQL that tells whether the parent of the listing exists. The SQL uses the first of the `values`. */
  parent?: string
  /** The message of the 404 if there is no parent. Defaults to the endpoint's message. */
  missing?: Message
  /** Set on listings with few items that an index finds. Such listings are fast enough to share connections
   * with point reads. */
  isShort?: boolean
}

/** Rows that overlap a time range, ordered by their starts. A long listing reads its range in slices. */
export type TimeRangeRows = {
  table: string
  columns: string
  overlapping: string[]
  beginning: string
  /** SQL of the joins for the other columns of each item. The joins must match every row. */
  joins: string
  /** Which `values` are the start and the end of the range, counted from 1. */
  from: number
  to: number
}

type SortKey = { by: string; type: KeyType }

export type Listing = {
  whole: Statement
  parent: (Statement & { values: number }) | undefined
  first: Statement
  next: Statement
  /** Selects all items, without a limit. The statement is read from a cursor. */
  all: string
  /** Selects the items that begin within the range. Items that began earlier are in the first slice. */
  beginning: string | undefined
  range: Pick<TimeRangeRows, 'from' | 'to'> | undefined
  order: SortKey[]
  missing: Message | undefined
  isShort: boolean
}

/** The maximum number of items that are returned in one piece. A longer listing is streamed. */
const WHOLE_ITEMS_MAX = 2_500

// A limit that is never reached. With any limit, Postgres sorts the rows first and builds their JSON as they are read;
// without one, it would build and sort everything, on disk, before the first row.
const UNREACHABLE_LIMIT = 1_000_000_000_000

export const LISTING_BODY_START = '{"data":['
export const LISTING_BODY_END = ']}'

export function prepareListing(definition: ListingDefinition): Listing {
  const { name, item, rows, parent } = definition
  const order = Object.entries(definition.order).map(([by, type]) => ({ by, type }))
  const values = countValues(JSON.stringify([String(item), rows, parent]))
  const by = order.map((key) => key.by).join(', ')
  const keys = order.map((key, index) => `${selectKeyText(key)} AS key${index}`).join(', ')
  const lastKeys = order.map((key, index) => `$${values + 1 + index}::text::${key.type}`)
  // The second condition is redundant, but an index whose first column is another one cannot use the row
  // comparison.
  const afterLast = `AND (${by}) > (${lastKeys.join(', ')}) AND ${order[0]?.by} >= ${lastKeys[0]}`
  const page = (after: string, limit: number) =>
    `SELECT ${item} AS item, ${keys} FROM ${selectPageRows(rows, after, `ORDER BY ${by} LIMIT $${limit}::int`)}`
  const inOrder = (source: string) =>
    `SELECT ${item} AS item FROM ${source} ORDER BY ${by} LIMIT ${UNREACHABLE_LIMIT}`
  const inTime = typeof rows === 'string' ? undefined : rows
  return {
    whole: { name: `${name}-whole`, text: createWholeText(definition, by) },
    parent: parent
      ? { name: `${name}-parent`, text: `SELECT ${parent} AS found`, values: countValues(parent) }
      : undefined,
    first: { name: `${name}-first`, text: page('', values + 1) },
    next: { name: `${name}-next`, text: page(afterLast, values + order.length + 1) },
    all: inOrder(typeof rows === 'string' ? rows : joinRows(rows, rows.overlapping)),
    beginning: inTime && inOrder(joinRows(inTime, [inTime.beginning])),
    range: inTime,
    order,
    missing: definition.missing,
    isShort: definition.isShort ?? false,
  }
}

const countValues = (sql: string) =>
  Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))

const joinRows = ({ table, joins }: TimeRangeRows, parts: string[]) =>
  `(${parts.join(' UNION ALL ')}) AS ${table} ${joins}`

// The statement stops once it has found too many rows, before it sorts the rows, joins other tables or builds
// JSON.
function createWholeText({ item, rows, parent }: ListingDefinition, by: string): string {
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

function selectPageRows(rows: ListingDefinition['rows'], after: string, end: string): string {
  if (typeof rows === 'string') return `${rows} ${after} ${end}`
  const parts = rows.overlapping.map(
    (part) => `(SELECT * FROM (${part}) AS ${rows.table} WHERE true ${after} ${end})`,
  )
  return `${joinRows(rows, parts)} ${end}`
}

const selectKeyText = ({ by, type }: SortKey): string =>
  type === 'timestamptz' ? timestampText(by) : `${by}::text`

type ListingRow = Record<string, string>

/**
 * Returns the whole listing. `items` is null if there are too many. Returns undefined if the listing's parent does not
 * exist.
 */
export async function findWholeListing(
  pool: LimitedDatabase,
  { whole }: Listing,
  values: unknown[],
): Promise<{ items: string | null } | undefined> {
  const { rows } = await pool.query<{ items: string | null; found: boolean }>({ ...whole, values })
  const { items, found } = getOnlyRow(rows)
  return found ? { items } : undefined
}

/** Returns one page of a listing. `last` is set if there are more items. */
export async function findListingPage(
  database: LimitedDatabase,
  listing: Listing,
  values: unknown[],
  { limit, after = [] }: { limit: number; after: string[] | undefined },
): Promise<{ items: string; last: string[] | undefined }> {
  const statement = after.length > 0 ? listing.next : listing.first
  const { rows } = await database.query<ListingRow>({
    ...statement,
    values: [...values, ...after, limit + 1],
  })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    items: shown.map((row) => row.item).join(','),
    last: last && listing.order.map((_key, index) => last[`key${index}`] ?? ''),
  }
}

export async function doesParentExist(
  pool: LimitedDatabase,
  { parent }: Listing,
  values: unknown[],
): Promise<boolean> {
  if (!parent) return true
  const { name, text } = parent
  const given = values.slice(0, parent.values)
  const { rows } = await pool.query<{ found: boolean }>({ name, text, values: given })
  return rows[0]?.found ?? false
}

/** A named statement, which is prepared once per connection. */
export type Statement = { name: string; text: string }

export async function findListingText(
  database: LimitedDatabase,
  { name, text }: Statement,
  values: unknown[],
): Promise<string | undefined> {
  const { rows } = await database.query<{ body: string }>({ name, text, values })
  return rows[0]?.body
}
