// The card of a floor plan on a location's page: how many bookables have a position, upload and deletion.
import { type Html, html } from '../../../html/html.ts'
import type { FloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { drawFloorPlan } from '../../../reads/map/map-layouts.ts'
import { plural, t } from '../../locales/translate.ts'
import { floorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, formatNumber, showLink } from '../../pages/ui/parts.ts'
import type { LocationRow } from '../places/location-pages.ts'

/** How many bookables have a position, upload and deletion. */
export function floorPlanCard(call: Call, location: LocationRow, facts: FloorPlanFacts | undefined): Html {
  const content = facts
    ? present(call, location, facts)
    : html`<p>${t`No floor plan yet. Upload one to show desks and rooms where they are. Until then, the map is a grid.`}</p>
${upload(call, t`Upload floor plan`, t`File`, t`PNG, JPEG, WebP, SVG or PDF, up to 10 MiB.`)}
<p>${showLink(call.link(`/places/locations/${location.id}/arrange`), t`Draw a floor plan`)}</p>`
  return card(t`Floor plan`, content, 'floor-plan')
}

function present(call: Call, { id, name, bookables, positioned }: LocationRow, facts: FloorPlanFacts): Html {
  const arrange = call.link(`/places/locations/${id}/arrange`)
  const picture = html`<svg viewBox="0 0 ${facts.width} ${facts.height}" role="img" aria-label="${t`Arrange the floor plan of ${name}`}">${drawFloorPlan(floorPlanPicture(call, id, facts), facts)}</svg>`
  const onFloorPlan = plural(
    bookables,
    'On the floor plan: {0} of # desk or room.',
    'On the floor plan: {0} of # desks and rooms.',
    formatNumber(positioned),
  )
  return html`<div class="floor-plan-card">${showLink(arrange, picture)}
<div><p>${onFloorPlan} ${showLink(arrange, t`Arrange floor plan`)}</p>
${upload(call, t`Replace floor plan`, t`New file`, t`PNG, JPEG, WebP, SVG or PDF, up to 10 MiB. Positions are kept.`)}
${form(call, { action: 'delete-floor-plan', submit: t`Delete floor plan`, tone: 'quiet', isInline: true })}</div></div>`
}

function upload(call: Call, submit: string, label: string, hint: string): Html {
  return form(call, { action: 'set-floor-plan', submit, hasFile: true, tone: 'quiet' }, (fields) =>
    fields.file('file', label, {
      hint,
      accept: 'image/png,image/jpeg,image/webp,image/svg+xml,application/pdf',
      required: true,
    }),
  )
}
