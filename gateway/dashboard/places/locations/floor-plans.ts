// Floor plans as pictures: for administrators only, under addresses that carry a hash of the content.
import { Refusal } from '../../../../shared/refusal.ts'
import type { Context } from '../../../context.ts'
import { DASHBOARD } from '../../framework/addresses.ts'
import type { DashboardContext } from '../../framework/context.ts'
import type { Call } from '../../framework/page.ts'
import { identify, sessionEnded } from '../../framework/sessions/viewers.ts'
import { findPlan, type PlanFacts } from './queries.ts'

export const PLAN_PATH = `${DASHBOARD}/plans/:id/:hash`

export function planLink(call: Call, locationId: number, { hash }: PlanFacts): string {
  return call.link(`/plans/${locationId}/${hash}`)
}

export async function sendPlan(ctx: Context, dashboard: DashboardContext): Promise<void> {
  const viewer = await identify(ctx, dashboard)
  if (!viewer.admin) throw sessionEnded()
  const { id, hash } = ctx.params as { id: string; hash: string }
  // A plan is asked for right after it was uploaded: a replica may not have it yet.
  const plan = /^\d{1,15}$/.test(id) ? await findPlan(dashboard.services.primary, Number(id)) : undefined
  if (!plan) throw new Refusal('not_found', 'This floor plan does not exist, or it has been deleted.')
  // One that was replaced meanwhile is not kept under the old one's address.
  ctx.set('Cache-Control', plan.hash === hash ? 'private, max-age=86400, immutable' : 'no-store')
  ctx.type = plan.type
  ctx.body = plan.data
}
