// Sends the picture of a floor plan to a screen in a lobby. A screen gets only the pictures of its own building.

import { findFloorPlan } from '../../../reads/map/floor-plans.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { sendFloorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import type { Screen } from '../screen/views.ts'

export async function sendLobbyFloorPlan(
  { reserved }: Services,
  { id }: Screen,
  ctx: Context,
): Promise<void> {
  const { floor_plan: asked, version } = ctx.query
  const location = /^\d{1,15}$/.test(String(asked)) ? Number(asked) : 0
  const own = await findRow<{ id: number }>(
    reserved.screens,
    `SELECT locations.id FROM screens JOIN locations USING (building_id)
     WHERE screens.id = $1 AND screens.kind = 'lobby' AND locations.id = $2`,
    [id, location],
  )
  sendFloorPlanPicture(ctx, own && (await findFloorPlan(reserved.screens, own.id)), version)
}
