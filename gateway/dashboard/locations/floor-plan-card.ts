// The floor plan card of a location's page: how many bookables have a position, upload and deletion.
import { drawFloorPlan } from '../../api/livemap/floor-plan-image.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { plural, t } from '../locales/translate.ts'
import type { FloorPlanFacts, LocationRow } from '../places/location-queries.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { formatNumber } from '../ui/words.ts'
import { floorPlanPicture } from './floor-plans.ts'

export function floorPlanCard(
  call: Call,
  location: LocationRow,
  floorPlan: FloorPlanFacts | undefined,
): Html {
  return html`<section class="card" aria-labelledby="floor-plan"><h2 id="floor-plan">${t`Floor plan`}</h2>
${floorPlan ? present(call, location, floorPlan) : absent(call)}</section>`
}

function absent(call: Call): Html {
  return html`<p>${t`No floor plan yet. Upload one to show desks and rooms where they are. Until then, the map is a grid.`}</p>
${upload(call, { submit: t`Upload floor plan`, label: t`Picture`, hint: t`PNG or JPEG, up to 10 MiB.` })}`
}

function present(
  call: Call,
  { id, name, bookables, positioned }: LocationRow,
  floorPlan: FloorPlanFacts,
): Html {
  const arrange = call.link(`/places/locations/${id}/arrange`)
  const { width, height } = floorPlan
  const onFloorPlan = plural(
    bookables,
    'On the floor plan: {0} of # desk or room.',
    'On the floor plan: {0} of # desks and rooms.',
    formatNumber(positioned),
  )
  const replacement = {
    submit: t`Replace floor plan`,
    label: t`New picture`,
    hint: t`PNG or JPEG, up to 10 MiB. Positions are kept.`,
  }
  return html`<div class="floor-plan-card">${showLink(arrange, html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${t`Arrange the floor plan of ${name}`}">${drawFloorPlan(floorPlanPicture(call, id, floorPlan), floorPlan)}</svg>`)}
<div><p>${onFloorPlan} ${showLink(arrange, t`Arrange floor plan`)}</p>
${upload(call, replacement)}
${form(call, { action: 'delete-floor-plan', submit: t`Delete floor plan`, tone: 'quiet', isInline: true })}</div></div>`
}

function upload(call: Call, { submit, label, hint }: { submit: string; label: string; hint: string }): Html {
  return form(call, { action: 'set-floor-plan', submit, hasFile: true, tone: 'quiet' }, (fields) =>
    fields.file({ name: 'file', label, hint, accept: 'image/png,image/jpeg', required: true }),
  )
}
