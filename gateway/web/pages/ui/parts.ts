// Small parts of pages: links, cards, facts, numbers and lists in words, texts to copy, and tables, which
// become cards on phones. All links are made here, to check that the viewer's role may open the page that
// they lead to.
import { type Content, formatAttributes, Html, html } from '../../../html/html.ts'
import { currentLocale, plural, t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { canOpen } from '../page/roles.ts'
import type { Order } from './sorting.ts'
import { showEmptyState, showNotice } from './states.ts'

type Attributes = Parameters<typeof formatAttributes>[0]

/** Shows a link that stands alone, such as “Change”, or null if the viewer may not open the page. Do not use
 * this function in a sentence. */
export function showLink(address: string, content: Content, more: Attributes = {}): Html | null {
  return canOpen(address) ? html`<a${formatAttributes({ href: address, ...more })}>${content}</a>` : null
}

/**
 * Shows a link whose text is always needed, such as a name. Shows only the text if the viewer may not open the page.
 */
export function showLinkOrText(address: string, content: Content, more?: Attributes): Html {
  return showLink(address, content, more) ?? html`${content}`
}

/** Shows a link that opens the visitor's mail program. The recipients do not see each other. */
export function showMailLink(addresses: string[], content: Content): Html {
  const bcc = addresses.map(encodeURIComponent).join(',')
  return html`<a class="button quiet" href="mailto:?bcc=${bcc}">${content}</a>`
}

export const formatNumber = (number: number): string => number.toLocaleString(currentLocale())

/** Formats a list, such as “a, b and c”. */
export function formatList(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : t`${parts.slice(0, -1).join(', ')} and ${last}`
}

/** Formats the first items of a list, such as “a, b, c and 2 more”. */
export function formatFirstItems(parts: readonly string[], shownMax: number): string {
  const more = parts.length - shownMax
  if (more <= 0) return parts.join(', ')
  return plural(more, '{0} and # more', '{0} and # more', parts.slice(0, shownMax).join(', '))
}

/** Shows a section as a card, labelled by its heading for screen readers too. */
export function showCard(
  title: string,
  content: Content,
  id = title.toLowerCase().replaceAll(' ', '-'),
): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>`
}

/** Shows names with their values. Leaves out empty values. */
export function showFactList(facts: ReadonlyArray<readonly [name: string, value: Content]>): Html {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** Shows a badge next to the name of a user who may no longer book. */
export function showInactiveBadge({ isActive }: { isActive: boolean }): Content {
  return !isActive && html` <span class="badge warn">${t`deactivated`}</span>`
}

/** Shows text with a button that copies it. `label` describes the button to screen readers. */
export function showCopyable(id: string, text: string, label?: string): Html {
  const own = formatAttributes({ 'data-copy': id, 'aria-label': label, hidden: true })
  return html`<div class="copied"><code id="${id}">${text}</code><button type="button" class="button quiet"${own}>${t`Copy`}</button></div>`
}

/** A card with a secret. `done` is the address where the user goes after copying the secret. */
type SecretCard = {
  id: string
  secret: string
  done: string
  before?: Html
  warning?: Content
  after?: Content
}

export function showSecretCard({ id, secret, done, before, warning, after }: SecretCard): Html {
  return html`<div class="card">
${before}${showNotice('warn', warning ?? t`Copy it now: it cannot be shown again after you leave this page.`)}
${showCopyable(id, secret)}
${after}
<div class="buttons">${showLink(done, t`Done`, { class: 'button primary' })}</div></div>`
}

export type Column<Row> = {
  label: string
  show(row: Row): Content
  /** Whether the column has numbers, which are aligned to the right. */
  isNumber?: boolean
  /** Whether the column's values stay on one line: a code, a time or a short name. */
  isShort?: boolean
  /** Whether the column gets its full width before other columns do, in a list with one line per row. */
  isWide?: boolean
  /** Whether the column contains buttons. If so, its label is for screen readers only. */
  isTools?: boolean
  /** Whether a list leaves the column out on phones, because the row's own page shows it. */
  isMinor?: boolean
  /** The key by which a click on the heading sorts. */
  sort?: string
}

/** How the table is sorted. If set, headings of columns with a sort key are links that sort the table. */
type TableSorting = { call: Call; order: Order }
type TableOptions = { sorting?: TableSorting | undefined; isListed?: boolean }

/** Shows a table. `empty` is shown if there are no rows. It says what the table is for, and how to add rows.
 * The first text column is the header of its row. Leaves out columns that are empty in every row, unless the
 * rows are sorted by them. */
export function showTable<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
  { sorting, isListed = false }: TableOptions = {},
): Html {
  if (rows.length === 0) return typeof empty === 'string' ? showEmptyState(empty) : html`${empty}`
  const lines = rows.map((row) => columns.map((column) => html`${column.show(row)}`))
  // The index of the column that names the row. On a phone, this column names the row's card.
  const headAt = columns.findIndex(({ isNumber, isTools }) => !isNumber && !isTools)
  const isShown = (column: Column<Row>, index: number) =>
    index === headAt ||
    (column.sort !== undefined && sorting?.order.key === column.sort) ||
    lines.some((line) => line[index]?.text.trim() !== '')
  const shown = columns.flatMap((column, index) => {
    if (!isShown(column, index)) return []
    const isHead = index === headAt
    return [
      { column, index, tag: isHead ? 'th' : 'td', own: formatCellAttributes(column, { isHead, isListed }) },
    ]
  })
  // Cells and rows have no end tags: each cell or row ends where the next one begins.
  const cells = (line: Html[]) =>
    shown.map(({ index, tag, own }) => new Html(`<${tag}${own.text}>${line[index]?.text.trim()}`))
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="table">
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ column }) => showHeading(column, sorting))}</tr></thead>
<tbody>${lines.map((line) => html`<tr>${cells(line)}`)}</tbody>
</table></div>`
}

/**
 * Shows a table with one line per row. Longer text is cut off; it is shown in full on phones, and when the pointer or
 * the keyboard focus is on it.
 */
export function showOneLineTable<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
  sorting?: TableSorting,
): Html {
  return html`<div class="listed">${showTable(caption, columns, rows, empty, { sorting, isListed: true })}</div>`
}

function showHeading<Row>(
  { label, isNumber, isTools, sort }: Column<Row>,
  sorting: TableSorting | undefined,
): Html {
  const kind = isNumber && 'number'
  if (isTools || !sorting || sort === undefined) {
    const content = isTools ? html`<span class="unseen">${label}</span>` : label
    return html`<th scope="col"${formatAttributes({ class: kind })}>${content}</th>`
  }
  const { call, order } = sorting
  const direction = order.isDescending ? 'descending' : 'ascending'
  const isPresent = order.key === sort
  const next = isPresent && !order.isDescending ? `-${sort}` : sort
  const own = formatAttributes({ class: kind, 'aria-sort': isPresent && direction })
  return html`<th scope="col"${own}>${showLinkOrText(call.linkHere({ sort: next, page: null }), label)}</th>`
}

/** Shows a checkbox that selects a row of a list. A script adds the name of the row to its label. */
export const showSelectionBox = (id: number): Html =>
  html`<input type="checkbox" name="ids" value="${id}" aria-label="${t`Select`}">`

type PagerOptions = {
  page: number
  /** Whether there is another page. This is enough for rows that are not counted. */
  hasMore: boolean
  /** The range of rows that the page shows, and the total. Defaults to the page number. */
  range?: string | undefined
}

export function showPager(call: Call, { page, hasMore, range }: PagerOptions): Html | false {
  if (page === 1 && !hasMore) return range !== undefined && html`<p class="pager soft">${range}</p>`
  return html`<nav class="pager" aria-label="${t`Pages`}">
${page > 1 && showLink(call.linkHere({ page: page > 2 ? page - 1 : null }), t`Previous`, { class: 'button quiet', rel: 'prev' })}
<span>${range ?? t`Page ${page}`}</span>
${hasMore && showLink(call.linkHere({ page: page + 1 }), t`Next`, { class: 'button quiet', rel: 'next' })}
</nav>`
}

function formatCellAttributes<Row>(
  { isNumber, isTools, isShort, isWide, isMinor, label }: Column<Row>,
  { isHead, isListed }: { isHead: boolean; isListed: boolean },
): Html {
  const width = isNumber ? 'number' : isTools ? 'tools' : isShort ? 'short' : isWide && 'wide'
  const isLabelled = !isHead && !isTools && (isShort || isNumber || !isListed)
  return formatAttributes({
    scope: isHead && 'row',
    class: [width, isMinor && 'minor'].filter(Boolean).join(' ') || undefined,
    // The label of a cell is shown only on phones. There, words in a list have no label.
    'data-label': isLabelled && label,
  })
}
