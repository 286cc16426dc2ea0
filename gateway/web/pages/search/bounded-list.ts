// Lists of rows that are found by time and may be long. A query reads at most as many rows as are counted, in
// the order of their starts, for which there is an index. The rows can be sorted in another order only if
// there are no further rows.
import type pg from 'pg'
import { type Html, html } from '../../../html/html.ts'
import { columnsSql, type RowColumns, type RowOf, type SqlConditions } from '../../../reads/rows/rows.ts'
import {
  COUNTED_ROWS_MAX,
  type RowsWithTotal,
  type Slice,
  toRowsWithTotal,
} from '../../../reads/rows/slices.ts'
import { t } from '../../locales/translate.ts'
import { formatNumber } from '../ui/parts.ts'
import type { Order, OrderKeys } from '../ui/sorting.ts'

type BoundedList<Key extends string> = {
  table: string
  /** The joins that the columns need, in addition to the table. */
  joins: string
  /** The text after FROM that finds the rows, without the conditions. */
  from: string
  conditions: SqlConditions
  /** The SQL of each sort order; `from` is the start. */
  keys: OrderKeys<Key>
  order: Order<Key>
  slice: Slice
}

export async function selectBoundedRows<Of extends RowColumns, Key extends string>(
  reads: pg.Pool,
  columns: Of,
  { table, joins, from, conditions, keys, order, slice }: BoundedList<Key | 'from'>,
): Promise<RowsWithTotal<RowOf<Of>>> {
  const isByStart = order.key === 'from'
  const direction = order.isDescending ? ' DESC' : ''
  const byStart = isByStart ? direction : ''
  const sorted = isByStart
    ? ''
    : `CASE WHEN counted.total <= ${COUNTED_ROWS_MAX} THEN found.sorted END${direction}, `
  // Looks up each shown row by its id (OFFSET 0). Without this, Postgres would read the whole table if there
  // are few rows.
  const { rows } = await reads.query<RowOf<Of> & { total: number }>(
    `WITH found AS MATERIALIZED (
       SELECT ${table}.id, ${keys.from} AS starts${isByStart ? '' : `, ${keys[order.key]} AS sorted`}
       FROM ${from} WHERE ${conditions.sql}
       ORDER BY ${keys.from}${byStart}, ${table}.id${byStart} LIMIT ${COUNTED_ROWS_MAX + 1}
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
  return toRowsWithTotal(rows)
}

/** Returns the sort order to use: an order by another column only if all rows were counted. */
export function chooseOrder<Key extends string>(order: Order<Key>, total: number): Order<Key | 'from'> {
  return total > COUNTED_ROWS_MAX && order.key !== 'from' ? { key: 'from', isDescending: false } : order
}

/** Says above a list that the list is not sorted as requested. */
export const showTooManyToSort = (): Html =>
  html`<p class="soft">${t`More than ${formatNumber(COUNTED_ROWS_MAX)} results, sorted by start. Narrow the search to sort them by another column.`}</p>
`
