// Tabs: links to other views, one of which is the current one. They work without scripts.

import { attributes, type Html, html } from '../../../html/html.ts'
import { formatNumber, showLink } from './parts.ts'

type Tab = { label: string; address: string; isCurrent: boolean; count?: number }

/** Filters of one page: its other days, floors or states. */
export function tabs(label: string, items: Tab[]): Html {
  return show(label, items, 'tabs', 'true')
}

/** The pages about one thing, below its name. Those that the viewer may not open are left out. */
export function pageTabs(label: string, items: Tab[]): Html {
  return show(label, items, 'page-tabs', 'page')
}

function show(label: string, items: Tab[], style: string, current: 'page' | 'true'): Html {
  const shown = items.map(({ label, address, isCurrent, count }) => {
    const text = html`${label}${count !== undefined && html` <span class="count">${formatNumber(count)}</span>`}`
    const link = showLink(address, text, { 'aria-current': isCurrent ? current : undefined })
    return link && html`<li>${link}</li>`
  })
  return html`<nav${attributes({ class: style, 'aria-label': label })}><ul>${shown}</ul></nav>`
}
