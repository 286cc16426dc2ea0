// Tables that become cards on phones, what is shown if they are empty, and the pager.
import { attributes, type Content, Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLink, showLinkOrText } from './links.ts'
import type { Order } from './sorting.ts'

export type Column<Row> = {
  label: string
  show(row: Row): Content
  /** Numbers are aligned to the right. */
  isNumber?: boolean
  /** The heading of its row, and of its card on a phone. */
  isHead?: boolean
  /** Stays on one line: a code, a time, a short name. */
  isShort?: boolean
  /** In a list with one line per row, gets the width that it needs before other columns do. */
  isWide?: boolean
  /** Contains buttons: the label is for screen readers only. */
  isTools?: boolean
  /** The sort key that a click on the heading chooses. */
  sort?: string
}

/** Headings of columns with a sort key are links that sort. */
type Sorting = { call: Call; order: Order }

// Shorter texts are never cut.
const TITLED_MIN = 20

/**
 * `empty` is shown if there are no rows: what belongs here, and how to add it. Leaves out columns that are
 * empty in every row, unless the rows are sorted by them.
 */
export function table<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
  sorting?: Sorting,
): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`
  const lines = rows.map((row) => columns.map((column) => html`${column.show(row)}`))
  const isShown = (column: Column<Row>, index: number) =>
    column.isHead ||
    (column.sort !== undefined && sorting?.order.key === column.sort) ||
    lines.some((line) => line[index]?.text.trim() !== '')
  const shown = columns.flatMap((column, index) => (isShown(column, index) ? [{ column, index }] : []))
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="table">
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ column }) => head(column, sorting))}</tr></thead>
<tbody>${lines.map((line) => html`<tr>${shown.map(({ column, index }) => cell(column, line[index] ?? html``))}</tr>`)}</tbody>
</table></div>`
}

function head<Row>({ label, isNumber, isTools, sort }: Column<Row>, sorting: Sorting | undefined): Html {
  const kind = isNumber && 'number'
  if (isTools || !sorting || sort === undefined) {
    const content = isTools ? html`<span class="unseen">${label}</span>` : label
    return html`<th scope="col"${attributes({ class: kind })}>${content}</th>`
  }
  const { call, order } = sorting
  const direction = order.isDescending ? 'descending' : 'ascending'
  const isPresent = order.key === sort
  const next = isPresent && !order.isDescending ? `-${sort}` : sort
  const own = attributes({ class: kind, 'aria-sort': isPresent && direction })
  return html`<th scope="col"${own}>${showLinkOrText(call.linkHere({ sort: next, page: null }), label)}</th>`
}

type Pages = {
  page: number
  /** Enough to page through rows that are not counted. */
  hasMore: boolean
  /** Which rows these are, of how many; defaults to the page number. */
  range?: string | undefined
}

export function pager(call: Call, { page, hasMore, range }: Pages): Html | false {
  if (page === 1 && !hasMore) return range !== undefined && html`<p class="pager soft">${range}</p>`
  return html`<nav class="pager" aria-label="${t`Pages`}">
${page > 1 && showLink(call.linkHere({ page: page > 2 ? page - 1 : null }), t`Previous`, { class: 'button quiet', rel: 'prev' })}
<span>${range ?? t`Page ${page}`}</span>
${hasMore && showLink(call.linkHere({ page: page + 1 }), t`Next`, { class: 'button quiet', rel: 'next' })}
</nav>`
}

function cell<Row>(column: Column<Row>, content: Html): Html {
  const { isNumber, isTools, isShort, isWide, isHead, label } = column
  const kind = isNumber ? 'number' : isTools ? 'tools' : isShort ? 'short' : isWide ? 'wide' : undefined
  const title = isTools ? undefined : titleOf(content)
  if (isHead) return html`<th scope="row"${attributes({ class: kind })}${title}>${content}</th>`
  const own = html`${attributes({ class: kind })}${title}${attributes({ 'data-label': isTools ? undefined : label })}`
  // The inner box keeps the content next to the label on phones, however many parts it has.
  return html`<td${own}><div>${content}</div></td>`
}

/** The full text, as the tooltip of a text that is cut. */
function titleOf(content: Html): Html | undefined {
  const text = content.text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  // Already escaped, including quotes.
  return text.length < TITLED_MIN ? undefined : new Html(` title="${text}"`)
}
