// Writes one log line a request and counts it, whatever became of it.
import type { Middleware } from '../../context.ts'
import type { Services } from '../../services.ts'

// Where somebody may be trying to get in. Of all others the token or the administrator is known, and the address is nobody’s
// business.
const TURNED_AWAY = new Set([401, 403, 429])
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])

export function observe({ log, metrics }: Services): Middleware {
  return async (ctx, next) => {
    const started = process.hrtime.bigint()
    // 'close' comes after the last byte has left, or the client has gone: streams count to their end.
    ctx.res.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      const route = ctx.state.route ?? 'unknown'
      metrics.observeRequest({ method: ctx.method, route, status: ctx.res.statusCode, seconds })
      log[QUIET.has(route) ? 'debug' : 'info'](
        {
          requestId: ctx.state.requestId,
          method: ctx.method,
          // Not the path: it may hold an e-mail.
          route,
          status: ctx.res.statusCode,
          ms: Math.round(seconds * 10_000) / 10,
          tokenId: ctx.state.token?.id,
          adminId: ctx.state.adminId,
          address: TURNED_AWAY.has(ctx.res.statusCode) ? ctx.ip : undefined,
          cutOff: ctx.res.writableFinished ? undefined : true,
        },
        'request',
      )
    })
    return next()
  }
}
