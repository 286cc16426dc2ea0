// The headers of every answer: those that restrict it to its caller, and those that admit browsers of other
// origins.
import type { Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

export const CLOSED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

const HEADERS = Object.entries(CLOSED_HEADERS)

export const closedHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of HEADERS) ctx.res.setHeader(name, value)
  return next()
}

const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id'
const ANSWER_HEADERS =
  'Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

export function crossOrigin({ config }: Services, isClosed: (path: string) => boolean): Middleware {
  const allowsAll = config.corsOrigins.includes('*')
  const listed = new Set(config.corsOrigins)
  if (listed.size === 0) return (_ctx, next) => next()
  return (ctx, next) => {
    if (isClosed(ctx.path)) return next()
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (origin && (allowsAll || listed.has(origin))) {
      ctx.set('Access-Control-Allow-Origin', allowsAll ? '*' : origin)
      ctx.set('Access-Control-Expose-Headers', ANSWER_HEADERS)
      if (ctx.method === 'OPTIONS') {
        ctx.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
        ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS)
        ctx.set('Access-Control-Max-Age', '600')
      }
    }
    return next()
  }
}
