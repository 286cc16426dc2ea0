// What stands around the picture: the moment that is shown, what the colours mean, and the same as a list.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { STATES, stateOf } from '../../api/livemap/cells.ts'
import { attributes, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatZone } from '../time/zones.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import type { MapBookable, MapMoment } from './queries.ts'
import { describe } from './words.ts'

const SLIDER_STEP_MINUTES = 15
const TONES: Record<string, string> = { free: 'good', occupied: 'bad', blocked: 'warn', assigned: 'accent' }

/** A form that works by itself; a script adds a slider to it. */
export function momentForm(call: Call, { id, date, time, timezone }: MapMoment, isNow: boolean): Html {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const slider = attributes({
    min: 0,
    max: 24 * 60 - SLIDER_STEP_MINUTES,
    step: SLIDER_STEP_MINUTES,
    value: hours * 60 + minutes,
    'aria-valuetext': time,
  })
  const now = call.linkHere({ date: null, time: null, booking: null, location: id })
  return html`<div class="card moment" data-moment>
${searchForm(call, 'Show', (fields) => [
  fields.text({ name: 'date', label: 'Day', type: 'date', value: date, required: true }),
  fields.text({ name: 'time', label: 'Time', type: 'time', value: time, required: true }),
])}
<div class="slider" hidden><label for="moment-slider">Time of day</label>
<input type="range" id="moment-slider"${slider}></div>
<p class="soft">${isNow && html`<span data-shown>Live: this map updates automatically. </span>`}<a href="${now}"${attributes({ 'data-now': true, hidden: isNow })}>Back to now</a>
Time zone: ${formatZone(timezone)}.</p></div>`
}

export const legend = html`<ul class="map-legend" aria-label="Legend">${Object.values(STATES).map(
  ({ fill, line, label }) =>
    html`<li><svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/></svg>${label}</li>`,
)}</ul>`

export function bookablesList(
  call: Call,
  bookables: MapBookable[],
  moment: MapMoment,
  marked: number | undefined,
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
<p>${describe(each, moment)}.${isOwned && ` Assigned to ${each.assignees.join(', ')}.`}</p>
<p class="soft">${formatBookableType(each.type)}${each.isDeleted ? ', deleted' : html` · <a href="${call.link(`/places/bookables/${each.id}`)}" aria-label="Open ${each.name}">Open</a>`}</p></li>`
  })
  return html`<ul class="rows">${entries}</ul>`
}
