// Counts the requests of a token, and reports in headers how many are left. A 403 reports that too, and comes
// before the 429, so counting and refusing are two steps.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { type Context, requireToken } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

export async function countRequest(ctx: Context, { rateLimiter, config }: Services): Promise<void> {
  const token = requireToken(ctx)
  const limit = token.rateLimitPerMinute ?? config.rateLimitPerMinute
  const allowance = await rateLimiter.take(`token:${token.id}`, limit)
  ctx.state.allowance = allowance
  ctx.res.setHeader('RateLimit-Policy', `default;q=${limit};w=60`)
  ctx.res.setHeader('RateLimit', `default;r=${allowance.remaining};t=${allowance.resetSeconds}`)
}

export function refuseExcess({ state: { allowance } }: Context) {
  if (!allowance || allowance.allowed) return
  throw new Refusal(
    'rate_limited',
    message`This token is limited to ${allowance.limit} requests per minute.`,
    {
      headers: { 'Retry-After': String(allowance.resetSeconds) },
    },
  )
}
