// Tabs: links to other views of the same page, one of which is the current one.
import { type Html, html } from '../../http/html.ts'
import { showLink } from './links.ts'
import { formatNumber } from './words.ts'

type Tab = { label: string; address: string; isCurrent: boolean; count?: number }

export function tabs(label: string, items: Tab[]): Html {
  const shown = items.map(({ label, address, isCurrent, count }) => {
    const current = isCurrent ? 'true' : undefined
    const text = html`${label}${count !== undefined && html` <span class="count">${formatNumber(count)}</span>`}`
    return html`<li>${showLink(address, text, { 'aria-current': current })}</li>`
  })
  return html`<nav class="tabs" aria-label="${label}"><ul>${shown}</ul></nav>`
}
