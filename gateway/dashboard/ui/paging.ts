// Listings shown page by page: the number in the address, the rows to ask for, and the table with the way on.
import { integer, queryNumber } from '../../../shared/contracts/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { type Column, pager, table } from './tables.ts'

/** Which rows of a listing a statement returns. */
export type Slice = { offset: number; limit: number }

export const pageNumber = (max = 100_000) => queryNumber(integer({ min: 1, max })).default(1)

/** One row more than the page shows: it tells whether there is another page. */
export function sliceOf(page: number, rowsPerPage: number): Slice {
  return { offset: (page - 1) * rowsPerPage, limit: rowsPerPage + 1 }
}

/** What is said of a page that has no rows, though there may be some before it. */
export const beyondLast = (call: Call, page: number): Html =>
  html`<p><strong>Nothing on page ${page}.</strong></p>
<p>The list has become shorter, or it never was that long. <a href="${call.linkHere({ page: null })}">Go to the first page</a>.</p>`

type PagedTable<Row> = {
  caption: string
  columns: Column<Row>[]
  /** The rows of the page's slice. */
  rows: readonly Row[]
  rowsPerPage: number
  page: number
  /** Where rows further on are to be found by a narrower search. */
  pagesMax?: number
  empty: Content
}

export function pagedTable<Row>(
  call: Call,
  { caption, columns, rows, rowsPerPage, page, pagesMax = Number.POSITIVE_INFINITY, empty }: PagedTable<Row>,
): Html {
  return html`${table(caption, columns, rows.slice(0, rowsPerPage), page > 1 ? beyondLast(call, page) : empty)}
${pager(call, { page, hasMore: rows.length > rowsPerPage && page < pagesMax })}`
}
