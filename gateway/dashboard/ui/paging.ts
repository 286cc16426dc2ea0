// Listings shown page by page: the number in the address, the rows to ask for, how many there are, and the table with the
// way on.
import { integer, queryNumber } from '../../../shared/contracts/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { t } from '../language/translate.ts'
import { showLink } from './links.ts'
import type { Order } from './sorting.ts'
import { type Column, pager, table } from './tables.ts'
import { formatNumber } from './words.ts'

/** Which rows of a listing a statement returns. */
export type Slice = { offset: number; limit: number }

/** So many are counted: what has more says that it has more. */
export const COUNTED_MAX = 10_000

/** The rows of a slice, and how many there are in all; of more than are counted one more than that. */
export type Listed<Row> = { rows: Row[]; total: number }

export const pageNumber = (max = 100_000) => queryNumber(integer({ min: 1, max })).default(1)

/** One row more than the page shows: it tells whether there is another page. */
export function sliceOf(page: number, rowsPerPage: number): Slice {
  return { offset: (page - 1) * rowsPerPage, limit: rowsPerPage + 1 }
}

/** Of rows that a statement counts in a column `total`. */
export function toListed<Row>(rows: Array<Row & { total: number }>): Listed<Row> {
  return { rows, total: rows[0]?.total ?? 0 }
}

/** SQL: how many rows there are, up to one more than are counted; `from` is what follows FROM. */
export const totalSql = (from: string) =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNTED_MAX + 1}) AS counted)`

type Place = { page: number; rowsPerPage: number; shown: number; total: number }

/** “1–50 of 345”, “1–50 of more than 10,000”; nothing where no row is shown. */
export function formatRange({ page, rowsPerPage, shown, total }: Place): string | undefined {
  if (shown === 0) return undefined
  const first = (page - 1) * rowsPerPage + 1
  const last = first + shown - 1
  const shownRows = last > first ? `${formatNumber(first)}–${formatNumber(last)}` : formatNumber(first)
  return total > COUNTED_MAX
    ? t`${shownRows} of more than ${formatNumber(COUNTED_MAX)}`
    : t`${shownRows} of ${formatNumber(total)}`
}

/** What is said of a page that has no rows, though there may be some before it. */
export const beyondLast = (call: Call, page: number): Html =>
  html`<p><strong>${t`Nothing on page ${page}.`}</strong></p>
<p>${t`The list has become shorter, or it never was that long.`} ${showLink(call.linkHere({ page: null }), t`Go to the first page`)}.</p>`

export type PagedTable<Row> = {
  caption: string
  columns: Column<Row>[]
  /** The rows of the page's slice. */
  found: Listed<Row>
  rowsPerPage: number
  page: number
  /** Where rows further on are to be found by a narrower search. */
  pagesMax?: number
  /** What the rows are sorted by, where heads are links that sort. */
  order?: Order
  empty: Content
}

export function pagedTable<Row>(call: Call, list: PagedTable<Row>): Html {
  return html`${listTable(call, list)}
${listPager(call, list)}`
}

/** Its rows have one line each: what is longer is cut, and shown whole on a phone, and where the keyboard or the mouse is. */
export function listTable<Row>(call: Call, list: PagedTable<Row>): Html {
  const { caption, columns, page, order, empty } = list
  const rows = list.found.rows.slice(0, list.rowsPerPage)
  const sorting = order && { call, order }
  return html`<div class="listed">${table(caption, columns, rows, page > 1 ? beyondLast(call, page) : empty, sorting)}</div>`
}

type PagedRows = Pick<PagedTable<unknown>, 'found' | 'page' | 'rowsPerPage' | 'pagesMax'>

/** The way through a list, for what is not shown as a table of its own. */
export function listPager(
  call: Call,
  { found, page, rowsPerPage, pagesMax = Number.POSITIVE_INFINITY }: PagedRows,
): Html | false {
  const shown = Math.min(found.rows.length, rowsPerPage)
  const hasMore = found.rows.length > rowsPerPage && page < pagesMax
  return pager(call, { page, hasMore, range: formatRange({ page, rowsPerPage, shown, total: found.total }) })
}
