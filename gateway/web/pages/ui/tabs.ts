// Tabs: links to other views, one of which is the current one. They work without scripts.

import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { formatNumber, showLink } from './parts.ts'

type Tab = {
  label: string
  address: string
  isCurrent: boolean
  count?: number
  /** Whether the tab replaces the content of the sheet it is in. */
  staysInSheet?: boolean
}

/** Shows tabs that filter one page, such as its days, floors or states. */
export function showTabs(label: string, items: Tab[]): Html {
  return showTabList(label, items, 'tabs', 'true')
}

/** Shows tabs with the pages about one resource, below its name. Leaves out pages that the viewer may not open. */
export function showPageTabs(label: string, items: Tab[]): Html {
  return showTabList(label, items, 'page-tabs', 'page')
}

function showTabList(label: string, items: Tab[], style: string, current: 'page' | 'true'): Html {
  const shown = items.map(({ label, address, isCurrent, count, staysInSheet }) => {
    const text = html`${label}${count !== undefined && html` <span class="count">${formatNumber(count)}</span>`}`
    const link = showLink(address, text, {
      'aria-current': isCurrent ? current : undefined,
      'data-same-sheet': staysInSheet,
    })
    return link && html`<li>${link}</li>`
  })
  return html`<nav${formatAttributes({ class: style, 'aria-label': label })}><ul>${shown}</ul></nav>`
}
