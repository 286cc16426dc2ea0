// Small parts of pages: cards, facts, tabs and marks.
import { type Content, type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { showLink } from './links.ts'
import { formatNumber } from './words.ts'

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

type Tab = { label: string; address: string; isCurrent: boolean; count?: number }

/** Links to other views of the same page, one of which is the current one. */
export function tabs(label: string, items: Tab[]): Html {
  const shown = items.map(({ label, address, isCurrent, count }) => {
    const current = isCurrent ? 'true' : undefined
    const text = html`${label}${count !== undefined && html` <span class="count">${formatNumber(count)}</span>`}`
    return html`<li>${showLink(address, text, { 'aria-current': current })}</li>`
  })
  return html`<nav class="tabs" aria-label="${label}"><ul>${shown}</ul></nav>`
}

/** Shown next to the name of a user who may no longer book. */
export function showInactive({ isActive }: { isActive: boolean }): Content {
  return !isActive && html` <span class="badge warn">${t`deactivated`}</span>`
}
