// The card on a location's page that uploads and deletes its floor plan, and says how many bookables have a position on
// it.
import { type Html, html } from '../../../html/html.ts'
import type { FloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { drawFloorPlan } from '../../../reads/map/map-layouts.ts'
import { plural, t } from '../../locales/translate.ts'
import { createFloorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { formatNumber, showCard, showLink } from '../../pages/ui/parts.ts'
import type { LocationRow } from '../places/location-pages.ts'

export function showFloorPlanCard(
  call: Call,
  location: LocationRow,
  facts: FloorPlanFacts | undefined,
): Html {
  const content = facts
    ? showFloorPlan(call, location, facts)
    : html`<p>${t`No floor plan yet. Upload one to show desks and rooms where they are. Until then, the map is a grid.`}</p>
${showUploadForm(call, t`Upload floor plan`, t`File`, t`PNG, JPEG, WebP, SVG or PDF, up to 10 MiB.`)}
<p>${showLink(call.link(`/places/locations/${location.id}/arrange`), t`Draw a floor plan`)}</p>`
  return showCard(t`Floor plan`, content, 'floor-plan')
}

function showFloorPlan(
  call: Call,
  { id, name, bookables, positioned }: LocationRow,
  facts: FloorPlanFacts,
): Html {
  const arrange = call.link(`/places/locations/${id}/arrange`)
  const picture = html`<svg viewBox="0 0 ${facts.width} ${facts.height}" role="img" aria-label="${t`Arrange the floor plan of ${name}`}">${drawFloorPlan(createFloorPlanPicture(call, id, facts), facts)}</svg>`
  const onFloorPlan = plural(
    bookables,
    'On the floor plan: {0} of # desk or room.',
    'On the floor plan: {0} of # desks and rooms.',
    formatNumber(positioned),
  )
  return html`<div class="floor-plan-card">${showLink(arrange, picture)}
<div><div class="with-menu"><p>${onFloorPlan} ${showLink(arrange, t`Arrange floor plan`)}</p>
${call.mayWrite && showMoreMenu([form(call, { action: 'delete-floor-plan', submit: t`Delete floor plan`, tone: 'danger', isInline: true })])}</div>
${showUploadForm(call, t`Replace floor plan`, t`New file`, t`PNG, JPEG, WebP, SVG or PDF, up to 10 MiB. Positions are kept.`)}</div></div>`
}

function showUploadForm(call: Call, submit: string, label: string, hint: string): Html {
  return form(call, { action: 'set-floor-plan', submit, hasFile: true, tone: 'quiet' }, (fields) =>
    fields.file('file', label, {
      hint,
      accept: 'image/png,image/jpeg,image/webp,image/svg+xml,application/pdf',
      required: true,
    }),
  )
}
