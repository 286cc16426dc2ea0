// Counts the requests of a token, and tells it how many are left.
import { Refusal } from '../../shared/refusal.ts'
import type { Middleware } from '../context.ts'
import type { Services } from '../services.ts'

export function rateLimit({ rateLimiter, config }: Services): Middleware {
  return async (ctx, next) => {
    const { token } = ctx.state
    const limit = token?.rateLimitPerMinute ?? config.rateLimitPerMinute
    const allowance = await rateLimiter.take(`token:${token?.id}`, limit)
    ctx.set('RateLimit-Policy', `default;q=${limit};w=60`)
    ctx.set('RateLimit', `default;r=${allowance.remaining};t=${allowance.resetSeconds}`)
    if (!allowance.allowed) {
      throw new Refusal('rate_limited', `This token may make ${limit} requests a minute.`, {
        headers: { 'Retry-After': String(allowance.resetSeconds) },
      })
    }
    return next()
  }
}
