// Tables that become cards on a phone, what is shown where there is nothing, and the way through many pages.
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'

export type Column<Row> = {
  label: string
  show(row: Row): Content
  /** Numbers stand on the right. */
  isNumber?: boolean
  /** Heads its row, and its card on a phone. */
  isHead?: boolean
  /** Stays on one line: a code, a time, a name of few letters. */
  isShort?: boolean
  /** Has buttons: the label is there for readers of the screen only. */
  isTools?: boolean
}

/** `empty` is said where there are no rows: what belongs here, and how it comes here. */
export function table<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`
  const heads = columns.map(
    (column) =>
      html`<th scope="col"${attributes({ class: column.isNumber && 'number' })}>${
        column.isTools ? html`<span class="unseen">${column.label}</span>` : column.label
      }</th>`,
  )
  const lines = rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>`)
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="table">
<caption class="unseen">${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>${lines}</tbody>
</table></div>`
}

/** `hasMore` where the number of pages is not known; it need not be counted. */
export function pager(call: Call, { page, hasMore }: { page: number; hasMore: boolean }): Html | false {
  if (page === 1 && !hasMore) return false
  return html`<nav class="pager" aria-label="Pages">
${page > 1 && html`<a class="button quiet" rel="prev" href="${call.linkHere({ page: page > 2 ? page - 1 : null })}">Previous</a>`}
<span>Page ${page}</span>
${hasMore && html`<a class="button quiet" rel="next" href="${call.linkHere({ page: page + 1 })}">Next</a>`}
</nav>`
}

function cell<Row>(column: Column<Row>, row: Row): Html {
  const content = column.show(row)
  const kind = column.isNumber ? 'number' : column.isTools ? 'tools' : column.isShort ? 'short' : undefined
  if (column.isHead) return html`<th scope="row"${attributes({ class: kind })}>${content}</th>`
  const own = attributes({ class: kind, 'data-label': column.isTools ? undefined : column.label })
  // In a box of its own: on a phone it stands beside the label, however many parts it has.
  return html`<td${own}><div>${content}</div></td>`
}
