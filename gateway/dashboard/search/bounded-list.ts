// SQL for lists that are found by time and may be long. A query reads at most as many rows as are counted, in
// the order of their starts, which an index has. Only if there are no more rows than that, they can be sorted
// in another order.
import { type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { COUNTED_MAX, type Slice } from '../ui/paging.ts'
import type { Order, OrderKeys } from '../ui/sorting.ts'
import { formatNumber } from '../ui/words.ts'

type BoundedList<Key extends string> = {
  table: string
  /** The text after FROM, with its conditions. */
  from: string
  /** The key of the start, and the SQL of all keys. */
  start: Key
  keys: OrderKeys<Key>
  order: Order<Key>
  slice: Slice
}

/** The common table `shown`: id, total and ordinal of the rows of a slice. */
export function boundedList<Key extends string>(list: BoundedList<Key>): string {
  const { table, from, start, keys, order, slice } = list
  const isByStart = order.key === start
  const direction = order.isDescending ? ' DESC' : ''
  const byStart = isByStart ? direction : ''
  const sorted = isByStart
    ? ''
    : `CASE WHEN counted.total <= ${COUNTED_MAX} THEN found.sorted END${direction}, `
  return `found AS MATERIALIZED (
      SELECT ${table}.id, ${keys[start]} AS starts${isByStart ? '' : `, ${keys[order.key]} AS sorted`}
      FROM ${from}
      ORDER BY ${keys[start]}${byStart}, ${table}.id${byStart} LIMIT ${COUNTED_MAX + 1}
    ), counted AS (SELECT count(*)::int AS total FROM found), shown AS (
      SELECT found.id, counted.total,
        row_number() OVER (ORDER BY ${sorted}found.starts${byStart}, found.id${byStart}) AS ordinal
      FROM found CROSS JOIN counted ORDER BY ordinal LIMIT ${slice.limit} OFFSET ${slice.offset}
    )`
}

/**
 * SQL after FROM. Looks up each shown row by id; if there are few, Postgres would otherwise read the whole
 * table.
 */
export const shownRows = (table: string) =>
  `shown CROSS JOIN LATERAL (SELECT * FROM ${table} AS own WHERE own.id = shown.id OFFSET 0) AS ${table}`

/** The order that is used: another column only if all rows were counted. */
export function orderOf<Key extends string>(order: Order<Key>, start: Key, total: number): Order<Key> {
  return total > COUNTED_MAX && order.key !== start ? { key: start, isDescending: false } : order
}

/** Shown above a list that is not sorted as requested. */
export const tooManyToSort = (): Html =>
  html`<p class="soft">${t`More than ${formatNumber(COUNTED_MAX)} results, sorted by start. Narrow the search to sort them by another column.`}</p>
`
