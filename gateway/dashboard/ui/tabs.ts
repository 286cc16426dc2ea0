// Tabs: links to the same page with something else of it, one of them the present one.
import { attributes, type Html, html } from '../../http/html.ts'
import { formatNumber } from './words.ts'

type Tab = { label: string; address: string; isCurrent: boolean; count?: number }

export function tabs(label: string, items: Tab[]): Html {
  const shown = items.map(({ label, address, isCurrent, count }) => {
    const own = attributes({ href: address, 'aria-current': isCurrent ? 'true' : undefined })
    return html`<li><a${own}>${label}${count !== undefined && html` <span class="count">${formatNumber(count)}</span>`}</a></li>`
  })
  return html`<nav class="tabs" aria-label="${label}"><ul>${shown}</ul></nav>`
}
