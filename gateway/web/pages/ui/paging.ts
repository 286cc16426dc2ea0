// Lists shown page by page: the page number in the address, the rows to read, the total, and the table with
// its pager.
import { integer, queryNumber } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { COUNTED_MAX, type Listed, type Slice } from '../../../reads/rows/slices.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { type Column, formatNumber, listedTable, pager, showLink } from './parts.ts'
import type { Order } from './sorting.ts'
import { showEmpty } from './states.ts'

export const pageNumber = (max = 100_000) => queryNumber(integer({ min: 1, max })).default(1)

/** One row more than the page shows, to know whether there is another page. */
export function sliceOf(page: number, rowsPerPage: number): Slice {
  return { offset: (page - 1) * rowsPerPage, limit: rowsPerPage + 1 }
}

type Place = { page: number; rowsPerPage: number; shown: number; total: number }

/** “1–50 of 345”, “1–50 of more than 10,000”; undefined if no rows are shown. */
export function formatRange({ page, rowsPerPage, shown, total }: Place): string | undefined {
  if (shown === 0) return undefined
  const first = (page - 1) * rowsPerPage + 1
  const last = first + shown - 1
  const shownRows = last > first ? `${formatNumber(first)}–${formatNumber(last)}` : formatNumber(first)
  return total > COUNTED_MAX
    ? t`${shownRows} of more than ${formatNumber(COUNTED_MAX)}`
    : t`${shownRows} of ${formatNumber(total)}`
}

/** Shown if a page has no rows, though earlier pages may have some. */
export const beyondLast = (call: Call, page: number): Html =>
  showEmpty(
    t`Nothing on page ${page}.`,
    html`${t`The list does not have this many pages.`} ${showLink(call.linkHere({ page: null }), t`Go to the first page`)}.`,
  )

export type PagedTable<Row> = {
  caption: string
  columns: Column<Row>[]
  /** The rows of the page's slice. */
  found: Listed<Row>
  rowsPerPage: number
  page: number
  /** The last page; rows beyond it need a narrower search. */
  pagesMax?: number
  /** The current order, if the column headings are links that sort. */
  order?: Order
  empty: Content
}

export function pagedTable<Row>(call: Call, list: PagedTable<Row>): Html {
  return html`${listTable(call, list)}
${listPager(call, list)}`
}

export function listTable<Row>(call: Call, list: PagedTable<Row>): Html {
  const { caption, columns, page, order, empty } = list
  const rows = list.found.rows.slice(0, list.rowsPerPage)
  const sorting = order && { call, order }
  return listedTable(caption, columns, rows, page > 1 ? beyondLast(call, page) : empty, sorting)
}

type PagedRows = Pick<PagedTable<unknown>, 'found' | 'page' | 'rowsPerPage' | 'pagesMax'>

/** The pager of a list that is not shown with `pagedTable`. */
export function listPager(
  call: Call,
  { found, page, rowsPerPage, pagesMax = Number.POSITIVE_INFINITY }: PagedRows,
): Html | false {
  const shown = Math.min(found.rows.length, rowsPerPage)
  const hasMore = found.rows.length > rowsPerPage && page < pagesMax
  return pager(call, { page, hasMore, range: formatRange({ page, rowsPerPage, shown, total: found.total }) })
}
