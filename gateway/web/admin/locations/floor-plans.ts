// Floor plans: the card on a location's page, and the pictures. Pictures are served only to viewers who have signed in,
// at addresses with a hash of the content.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { PICTURE_HEADERS } from '../../../api/rest/locations/floor-plan.ts'
import { type Html, html } from '../../../html/html.ts'
import { drawFloorPlan } from '../../../reads/map/map-layouts.ts'
import type { Context } from '../../../server/services/context.ts'
import { plural, t } from '../../locales/translate.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import type { Call } from '../../pages/page/page.ts'
import { identify, sessionEnded } from '../../pages/page/viewers.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, formatNumber, showLink } from '../../pages/ui/parts.ts'
import { type FloorPlanFacts, findFloorPlan, type LocationRow } from '../places/location-pages.ts'

const missing = message`This floor plan does not exist, or it has been deleted.`

export const FLOOR_PLAN_PATH = '/floor-plans/:id/:hash'

export function floorPlanPicture(call: Call, locationId: number, { hash, ...seen }: FloorPlanFacts) {
  return { address: call.link(`/floor-plans/${locationId}/${hash}`), ...seen }
}

export async function sendFloorPlan(ctx: Context, dashboard: SiteContext): Promise<void> {
  const viewer = await identify(ctx, dashboard)
  if (!viewer.admin && !viewer.person) throw sessionEnded()
  const { id, hash } = ctx.params as { id: string; hash: string }
  // Reads from the primary: a browser asks right after the upload, when a replica may not have it yet.
  const { primary } = dashboard.services
  answerFloorPlan(ctx, /^\d{1,15}$/.test(id) ? await findFloorPlan(primary, Number(id)) : undefined, hash)
}

export function answerFloorPlan(
  ctx: Context,
  floorPlan: Awaited<ReturnType<typeof findFloorPlan>>,
  hash: unknown,
): void {
  if (!floorPlan) throw new Refusal('not_found', missing)
  // A floor plan that replaced the requested one is not cached under the old address.
  ctx.set('Cache-Control', floorPlan.hash === hash ? 'private, max-age=86400, immutable' : 'no-store')
  ctx.set(PICTURE_HEADERS)
  ctx.type = floorPlan.type
  ctx.body = floorPlan.data
}

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
