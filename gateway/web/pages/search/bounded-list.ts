// Lists that are found by time and may be long. A query reads at most as many rows as are counted, in the order
// of their starts, which an index has. Only if there are no more rows than that, they can be sorted in another
// order.
import type pg from 'pg'
import { type Html, html } from '../../../html/html.ts'
import { type Columns, columnsSql, type RowOf, type SqlConditions } from '../../../reads/rows/rows.ts'
import { COUNTED_MAX, type Listed, type Slice, toListed } from '../../../reads/rows/slices.ts'
import { t } from '../../locales/translate.ts'
import { formatNumber } from '../ui/parts.ts'
import type { Order, OrderKeys } from '../ui/sorting.ts'

type BoundedList<Key extends string> = {
  table: string
  /** Adds what the columns need to the table. */
  joins: string
  /** The text after FROM that finds the rows, without the conditions. */
  from: string
  conditions: SqlConditions
  /** The SQL of each order; `from` is the start. */
  keys: OrderKeys<Key>
  order: Order<Key>
  slice: Slice
}

export async function selectBounded<Of extends Columns, Key extends string>(
  reads: pg.Pool,
  columns: Of,
  { table, joins, from, conditions, keys, order, slice }: BoundedList<Key | 'from'>,
): Promise<Listed<RowOf<Of>>> {
  const isByStart = order.key === 'from'
  const direction = order.isDescending ? ' DESC' : ''
  const byStart = isByStart ? direction : ''
  const sorted = isByStart
    ? ''
    : `CASE WHEN counted.total <= ${COUNTED_MAX} THEN found.sorted END${direction}, `
  // Looks up each shown row by id (OFFSET 0); if there are few, Postgres would otherwise read the whole table.
  const { rows } = await reads.query<RowOf<Of> & { total: number }>(
    `WITH found AS MATERIALIZED (
       SELECT ${table}.id, ${keys.from} AS starts${isByStart ? '' : `, ${keys[order.key]} AS sorted`}
       FROM ${from} WHERE ${conditions.sql}
       ORDER BY ${keys.from}${byStart}, ${table}.id${byStart} LIMIT ${COUNTED_MAX + 1}
     ), counted AS (SELECT count(*)::int AS total FROM found), shown AS (
       SELECT found.id, counted.total,
         row_number() OVER (ORDER BY ${sorted}found.starts${byStart}, found.id${byStart}) AS ordinal
       FROM found CROSS JOIN counted ORDER BY ordinal LIMIT ${slice.limit} OFFSET ${slice.offset}
     )
     SELECT ${columnsSql(columns)}, shown.total FROM shown
     CROSS JOIN LATERAL (SELECT * FROM ${table} AS own WHERE own.id = shown.id OFFSET 0) AS ${table} ${joins}
     ORDER BY shown.ordinal`,
    conditions.values,
  )
  return toListed(rows)
}

/** The order that is used: another column only if all rows were counted. */
export function orderOf<Key extends string>(order: Order<Key>, total: number): Order<Key | 'from'> {
  return total > COUNTED_MAX && order.key !== 'from' ? { key: 'from', isDescending: false } : order
}

/** Shown above a list that is not sorted as requested. */
export const tooManyToSort = (): Html =>
  html`<p class="soft">${t`More than ${formatNumber(COUNTED_MAX)} results, sorted by start. Narrow the search to sort them by another column.`}</p>
`
