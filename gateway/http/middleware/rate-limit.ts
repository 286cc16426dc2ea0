// Counts the requests of a token, and says in headers how many are left. A 403 says so too, and comes before the 429: so
// counting and refusing are two steps.
import { Refusal } from '../../../shared/refusal.ts'
import { type Middleware, requireToken } from '../../context.ts'
import type { Services } from '../../services.ts'

export function countRequest({ rateLimiter, config }: Services): Middleware {
  return async (ctx, next) => {
    const token = requireToken(ctx)
    const limit = token.rateLimitPerMinute ?? config.rateLimitPerMinute
    const allowance = await rateLimiter.take(`token:${token.id}`, limit)
    ctx.state.allowance = allowance
    ctx.set('RateLimit-Policy', `default;q=${limit};w=60`)
    ctx.set('RateLimit', `default;r=${allowance.remaining};t=${allowance.resetSeconds}`)
    return next()
  }
}

export const refuseExcess: Middleware = async (ctx, next) => {
  const { allowance } = ctx.state
  if (allowance && !allowance.allowed) {
    throw new Refusal('rate_limited', `This token is limited to ${allowance.limit} requests per minute.`, {
      headers: { 'Retry-After': String(allowance.resetSeconds) },
    })
  }
  return next()
}
