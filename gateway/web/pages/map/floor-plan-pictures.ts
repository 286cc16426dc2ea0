// Serves the pictures of floor plans to signed-in viewers, at addresses that contain a hash of the picture.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type FloorPlanFacts, findFloorPlan } from '../../../reads/map/floor-plans.ts'
import { PICTURE_HEADERS } from '../../../server/http/picture-headers.ts'
import type { Context } from '../../../server/services/context.ts'
import type { SiteContext } from '../page/context.ts'
import type { Call } from '../page/page.ts'
import { createSessionEndedFailure, identifyViewer } from '../page/viewers.ts'

const missing = message`This floor plan does not exist, or it has been deleted.`

export const FLOOR_PLAN_PATH = '/floor-plans/:id/:hash'

export function createFloorPlanPicture(call: Call, locationId: number, { hash, ...seen }: FloorPlanFacts) {
  return { address: call.link(`/floor-plans/${locationId}/${hash}`), ...seen }
}

export async function sendFloorPlan(ctx: Context, site: SiteContext): Promise<void> {
  const viewer = await identifyViewer(ctx, site)
  if (!viewer.admin && !viewer.person) throw createSessionEndedFailure()
  const { id, hash } = ctx.params as { id: string; hash: string }
  // Reads from the primary, because a browser asks for the picture right after the upload, when a replica may not have
  // it yet.
  const { primary } = site.services
  sendFloorPlanPicture(
    ctx,
    /^\d{1,15}$/.test(id) ? await findFloorPlan(primary, Number(id)) : undefined,
    hash,
  )
}

export function sendFloorPlanPicture(
  ctx: Context,
  floorPlan: Awaited<ReturnType<typeof findFloorPlan>>,
  hash: unknown,
): void {
  if (!floorPlan) throw new Refusal('not_found', missing)
  // If another floor plan has replaced the requested one, the response is not cached under the old address.
  ctx.set('Cache-Control', floorPlan.hash === hash ? 'private, max-age=86400, immutable' : 'no-store')
  ctx.set(PICTURE_HEADERS)
  ctx.type = floorPlan.type
  ctx.body = floorPlan.data
}
