// The map as a list, and what its colours mean.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { STATES, stateOf } from '../../api/livemap/cells.ts'
import { attributes, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatBookableType } from '../ui/bookables.ts'
import type { MapBookable } from './queries.ts'

const TONES: Record<string, string> = { free: 'good', occupied: 'bad', blocked: 'warn', assigned: 'accent' }

export const legend = html`<ul class="map-legend" aria-label="Legend">${Object.values(STATES).map(
  ({ fill, line, label }) =>
    html`<li><svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/></svg>${label}</li>`,
)}</ul>`

export function bookablesList(
  call: Call,
  bookables: MapBookable[],
  { marked, describe }: { marked: number | undefined; describe(one: MapBookable): string },
): Html {
  const entries = bookables.map((each) => {
    const state = stateOf(each).label
    const own = attributes({
      id: `bookable-${each.id}`,
      class: each.id === marked ? 'marked' : undefined,
      'data-name': each.name,
      'aria-current': each.id === marked ? 'true' : undefined,
    })
    const isOwned = each.occupied && each.status === BOOKABLE_STATUSES.assigned
    return html`<li${own}><p><strong>${each.name}</strong> <span class="badge ${TONES[state]}">${state}</span></p>
<p>${describe(each)}.${isOwned && ` Assigned to ${each.assignees.join(', ')}.`}</p>
<p class="soft">${formatBookableType(each.type)}${each.isDeleted ? ', deleted' : html` · <a href="${call.link(`/places/bookables/${each.id}`)}" aria-label="Open ${each.name}">Open</a>`}</p></li>`
  })
  return html`<ul class="rows">${entries}</ul>`
}
