// Serves the pictures of floor plans to viewers who have signed in, at addresses with a hash of the content.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type FloorPlanFacts, findFloorPlan } from '../../../reads/map/floor-plans.ts'
import { PICTURE_HEADERS } from '../../../server/http/picture-headers.ts'
import type { Context } from '../../../server/services/context.ts'
import type { SiteContext } from '../page/context.ts'
import type { Call } from '../page/page.ts'
import { identify, sessionEnded } from '../page/viewers.ts'

const missing = message`This floor plan does not exist, or it has been deleted.`

export const FLOOR_PLAN_PATH = '/floor-plans/:id/:hash'

export function floorPlanPicture(call: Call, locationId: number, { hash, ...seen }: FloorPlanFacts) {
  return { address: call.link(`/floor-plans/${locationId}/${hash}`), ...seen }
}

export async function sendFloorPlan(ctx: Context, site: SiteContext): Promise<void> {
  const viewer = await identify(ctx, site)
  if (!viewer.admin && !viewer.person) throw sessionEnded()
  const { id, hash } = ctx.params as { id: string; hash: string }
  // Reads from the primary: a browser asks right after the upload, when a replica may not have it yet.
  const { primary } = site.services
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
