// Serves the pictures of floor plans, only to administrators, at addresses with a hash of the content.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { FloorPlanPicture } from '../../api/livemap/floor-plan-image.ts'
import type { Context } from '../../services/context.ts'
import type { DashboardContext } from '../kit/context.ts'
import type { Call } from '../kit/page.ts'
import { DASHBOARD } from '../kit/sessions/addresses.ts'
import { identify, sessionEnded } from '../kit/viewers.ts'
import { type FloorPlanFacts, findFloorPlan } from '../places/location-queries.ts'

const missing = message`This floor plan does not exist, or it has been deleted.`

export const FLOOR_PLAN_PATH = `${DASHBOARD}/floor-plans/:id/:hash`

export function floorPlanPicture(
  call: Call,
  locationId: number,
  { hash, ...seen }: FloorPlanFacts,
): FloorPlanPicture {
  return { address: call.link(`/floor-plans/${locationId}/${hash}`), ...seen }
}

export async function sendFloorPlan(ctx: Context, dashboard: DashboardContext): Promise<void> {
  const viewer = await identify(ctx, dashboard)
  if (!viewer.admin) throw sessionEnded()
  const { id, hash } = ctx.params as { id: string; hash: string }
  // Reads from the primary: a browser asks right after the upload, when a replica may not have it yet.
  const { primary } = dashboard.services
  const floorPlan = /^\d{1,15}$/.test(id) ? await findFloorPlan(primary, Number(id)) : undefined
  if (!floorPlan) throw new Refusal('not_found', missing)
  // A floor plan that replaced the requested one is not cached under the old address.
  ctx.set('Cache-Control', floorPlan.hash === hash ? 'private, max-age=86400, immutable' : 'no-store')
  ctx.type = floorPlan.type
  ctx.body = floorPlan.data
}
