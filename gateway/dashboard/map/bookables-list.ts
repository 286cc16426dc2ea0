// The map in words: its bookables as a list beside it, and what its colours mean.
import { STATES, stateOf } from '../../api/livemap/cells.ts'
import { type Html, html } from '../../http/html.ts'
import { formatNumber } from '../ui/words.ts'
import type { MapBookable } from './queries.ts'

export const TONES: Record<string, string> = {
  free: 'good',
  occupied: 'bad',
  blocked: 'warn',
  assigned: 'accent',
}

// Beside more of them nobody reads the list: the map, the search and the table of the location have them all.
const LISTED_MAX = 60

export const legend = html`<ul class="map-legend" aria-label="Legend">${Object.values(STATES).map(
  ({ fill, line, label }) =>
    html`<li><svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/></svg>${label}</li>`,
)}</ul>`

type ListOptions = {
  /** Of each one, where it is shown. */
  addressOf(one: MapBookable): string
  describe(one: MapBookable): string
  /** Where all of them are listed. */
  all: string
}

export function bookablesList(bookables: MapBookable[], { addressOf, describe, all }: ListOptions): Html {
  const entries = bookables.slice(0, LISTED_MAX).map((each) => {
    const state = stateOf(each).label
    return html`<li><p><a href="${addressOf(each)}">${each.name}</a> <span class="badge ${TONES[state]}">${state}</span></p>
<p>${describe(each)}.</p></li>`
  })
  const more = bookables.length - entries.length
  return html`<ul class="rows">${entries}</ul>${
    more > 0 &&
    html`<p class="soft">${formatNumber(more)} more are on the map. <a href="${all}">Search all of them</a></p>`
  }`
}
