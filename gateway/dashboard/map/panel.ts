// What the map tells of one bookable when it is chosen: who has it, and what can be done about it.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { stateOf } from '../../api/livemap/cells.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { TONES } from './bookables-list.ts'
import type { MapBookable } from './queries.ts'

export function showPanel(call: Call, bookable: MapBookable, description: string): Html {
  const { id, name, type, status, occupied, isDeleted, assignees } = bookable
  const state = stateOf(bookable).label
  const isOwned = occupied && status === BOOKABLE_STATUSES.assigned
  return html`<h2><span data-name>${name}</span> <span class="badge ${TONES[state]}">${state}</span></h2>
<p>${description}.${isOwned && ` Assigned to ${assignees.join(', ')}.`}</p>
<p class="soft">${formatBookableType(type)}${isDeleted ? ', deleted' : html` · <a href="${call.link(`/places/bookables/${id}`)}" aria-label="Open ${name}">Open</a>`}</p>`
}
