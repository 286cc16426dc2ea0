// Lists in pages: the page number in the address, the rows to read, the total, and the table with its page
// links.
import { integer, queryNumber } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { COUNTED_ROWS_MAX, type RowsWithTotal, type Slice } from '../../../reads/rows/slices.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { type Column, formatNumber, showLink, showOneLineTable, showPager } from './parts.ts'
import type { Order } from './sorting.ts'
import { showEmptyState } from './states.ts'

export const pageNumber = (max = 100_000) => queryNumber(integer({ min: 1, max })).default(1)

/** Returns the slice of a page. The slice has one row more than the page shows, to find out whether there is
 * another page. */
export function createPageSlice(page: number, rowsPerPage: number): Slice {
  return { offset: (page - 1) * rowsPerPage, limit: rowsPerPage + 1 }
}

type PagePosition = { page: number; rowsPerPage: number; shown: number; total: number }

/** Returns a text such as “1–50 of 345” or “1–50 of more than 10,000”, or undefined if no rows are shown. */
export function formatRange({ page, rowsPerPage, shown, total }: PagePosition): string | undefined {
  if (shown === 0) return undefined
  const first = (page - 1) * rowsPerPage + 1
  const last = first + shown - 1
  const shownRows = last > first ? `${formatNumber(first)}–${formatNumber(last)}` : formatNumber(first)
  return total > COUNTED_ROWS_MAX
    ? t`${shownRows} of more than ${formatNumber(COUNTED_ROWS_MAX)}`
    : t`${shownRows} of ${formatNumber(total)}`
}

/** Shows a page that has no rows, although earlier pages may have some. */
export const showPageBeyondLast = (call: Call, page: number): Html =>
  showEmptyState(
    t`There is nothing on page ${page}.`,
    html`${t`The list does not have that many pages.`} ${showLink(call.linkHere({ page: null }), t`Go to the first page`)}.`,
  )

export type PagedTable<Row> = {
  caption: string
  columns: Column<Row>[]
  /** The rows of the page's slice, with their total. */
  found: RowsWithTotal<Row>
  rowsPerPage: number
  page: number
  /** The number of the last page. To see further rows, users narrow their search. */
  pagesMax?: number
  /** The current sort order, if the column headings are links that sort the list. */
  order?: Order
  empty: Content
}

export function showPagedTable<Row>(call: Call, list: PagedTable<Row>): Html {
  return html`${showListTable(call, list)}
${showListPager(call, list)}`
}

export function showListTable<Row>(call: Call, list: PagedTable<Row>): Html {
  const { caption, columns, page, order, empty } = list
  const rows = list.found.rows.slice(0, list.rowsPerPage)
  const sorting = order && { call, order }
  return showOneLineTable(caption, columns, rows, page > 1 ? showPageBeyondLast(call, page) : empty, sorting)
}

type PagedRows = Pick<PagedTable<unknown>, 'found' | 'page' | 'rowsPerPage' | 'pagesMax'>

/** Shows the page links of a list that is not shown with `showPagedTable`. */
export function showListPager(
  call: Call,
  { found, page, rowsPerPage, pagesMax = Number.POSITIVE_INFINITY }: PagedRows,
): Html | false {
  const shown = Math.min(found.rows.length, rowsPerPage)
  const hasMore = found.rows.length > rowsPerPage && page < pagesMax
  return showPager(call, {
    page,
    hasMore,
    range: formatRange({ page, rowsPerPage, shown, total: found.total }),
  })
}
