// Small parts of pages: links, cards, facts, numbers and lists in words, what visitors copy, and tables, which become
// cards on phones. All links are made here, to check that the viewer's role may open the page behind them.
import { attributes, type Content, Html, html } from '../../../html/html.ts'
import { currentLocale, plural, t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { mayOpen } from '../page/roles.ts'
import type { Order } from './sorting.ts'
import { showEmpty, showNotice } from './states.ts'

type Attributes = Parameters<typeof attributes>[0]

/**
 * A link that stands alone, such as “Change”; null if the viewer may not open the page. Not for use in a
 * sentence.
 */
export function showLink(address: string, content: Content, more: Attributes = {}): Html | null {
  return mayOpen(address) ? html`<a${attributes({ href: address, ...more })}>${content}</a>` : null
}

/** A link whose text is always needed, such as a name. Only the text if the viewer may not open the page. */
export function showLinkOrText(address: string, content: Content, more?: Attributes): Html {
  return showLink(address, content, more) ?? html`${content}`
}

/** Opens the visitor's mail program; the people do not see each other. */
export function mailLink(addresses: string[], content: Content): Html {
  const bcc = addresses.map(encodeURIComponent).join(',')
  return html`<a class="button quiet" href="mailto:?bcc=${bcc}">${content}</a>`
}

export const formatNumber = (number: number): string => number.toLocaleString(currentLocale())

/** “a, b and c”. */
export function formatList(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : t`${parts.slice(0, -1).join(', ')} and ${last}`
}

/** “a, b, c and 2 more”. */
export function formatFirst(parts: readonly string[], shownMax: number): string {
  const more = parts.length - shownMax
  if (more <= 0) return parts.join(', ')
  return plural(more, '{0} and # more', '{0} and # more', parts.slice(0, shownMax).join(', '))
}

/** A section in a card, labelled by its heading for screen readers too. */
export function card(title: string, content: Content, id = title.toLowerCase().replaceAll(' ', '-')): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>`
}

/** Names and values. Leaves out empty values. */
export function showFacts(facts: ReadonlyArray<readonly [name: string, value: Content]>): Html {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** Shown next to the name of a user who may no longer book. */
export function showInactive({ isActive }: { isActive: boolean }): Content {
  return !isActive && html` <span class="badge warn">${t`deactivated`}</span>`
}

/** `label` describes the button to screen readers. */
export function copyable(id: string, text: string, label?: string): Html {
  const own = attributes({ 'data-copy': id, 'aria-label': label, hidden: true })
  return html`<div class="copied"><code id="${id}">${text}</code><button type="button" class="button quiet"${own}>${t`Copy`}</button></div>`
}

/** `done`: where the user goes once they have copied the secret. */
type Shown = { id: string; secret: string; done: string; before?: Html; warning?: Content; after?: Content }

export function secretCard({ id, secret, done, before, warning, after }: Shown): Html {
  return html`<div class="card">
${before}${showNotice('warn', warning ?? t`Copy it now: it cannot be shown again after you leave this page.`)}
${copyable(id, secret)}
${after}
<div class="buttons">${showLink(done, t`Done`, { class: 'button primary' })}</div></div>`
}

export type Column<Row> = {
  label: string
  show(row: Row): Content
  /** Numbers are aligned to the right. */
  isNumber?: boolean
  /** Stays on one line: a code, a time, a short name. */
  isShort?: boolean
  /** In a list with one line per row, gets the width that it needs before other columns do. */
  isWide?: boolean
  /** Contains buttons: the label is for screen readers only. */
  isTools?: boolean
  /** Left out of a list on phones: the page of the row shows it. */
  isMinor?: boolean
  /** The sort key that a click on the heading chooses. */
  sort?: string
}

/** Headings of columns with a sort key are links that sort. */
type Sorting = { call: Call; order: Order }
type TableOptions = { sorting?: Sorting | undefined; isListed?: boolean }

/**
 * `empty` is shown if there are no rows: what belongs here, and how to add it. The first column of words names its row.
 * Leaves out columns that are empty in every row, unless the rows are sorted by them.
 */
export function table<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
  { sorting, isListed = false }: TableOptions = {},
): Html {
  if (rows.length === 0) return typeof empty === 'string' ? showEmpty(empty) : html`${empty}`
  const lines = rows.map((row) => columns.map((column) => html`${column.show(row)}`))
  // The heading of its row, and of its card on a phone.
  const headAt = columns.findIndex(({ isNumber, isTools }) => !isNumber && !isTools)
  const isShown = (column: Column<Row>, index: number) =>
    index === headAt ||
    (column.sort !== undefined && sorting?.order.key === column.sort) ||
    lines.some((line) => line[index]?.text.trim() !== '')
  const shown = columns.flatMap((column, index) => {
    if (!isShown(column, index)) return []
    const isHead = index === headAt
    return [{ column, index, tag: isHead ? 'th' : 'td', own: cellAttributes(column, { isHead, isListed }) }]
  })
  // Cells and rows end where the next begins.
  const cells = (line: Html[]) =>
    shown.map(({ index, tag, own }) => new Html(`<${tag}${own.text}>${line[index]?.text.trim()}`))
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="table">
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ column }) => head(column, sorting))}</tr></thead>
<tbody>${lines.map((line) => html`<tr>${cells(line)}`)}</tbody>
</table></div>`
}

/** With one line per row: longer text is cut, and shown in full on phones, and for the pointer or keyboard focus. */
export function listedTable<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: Content,
  sorting?: Sorting,
): Html {
  return html`<div class="listed">${table(caption, columns, rows, empty, { sorting, isListed: true })}</div>`
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

/** Selects a row of a list. A script adds the name of the row to the label, as to those of its links. */
export const selectionBox = (id: number): Html =>
  html`<input type="checkbox" name="ids" value="${id}" aria-label="${t`Select`}">`

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

function cellAttributes<Row>(
  { isNumber, isTools, isShort, isWide, isMinor, label }: Column<Row>,
  { isHead, isListed }: { isHead: boolean; isListed: boolean },
): Html {
  const width = isNumber ? 'number' : isTools ? 'tools' : isShort ? 'short' : isWide && 'wide'
  const isLabelled = !isHead && !isTools && (isShort || isNumber || !isListed)
  return attributes({
    scope: isHead && 'row',
    class: [width, isMinor && 'minor'].filter(Boolean).join(' ') || undefined,
    // Only on phones, for which a list has no labels of words.
    'data-label': isLabelled && label,
  })
}
