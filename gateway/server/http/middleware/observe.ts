// Writes one log line per request and counts it, whatever its result.
import { type Span, startTrace, within } from '../../../../shared/tracing/tracing.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import { withoutRedaction } from '../../../../shared/utilities/log.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

// The address is logged only if a client may be trying to break in. Other requests have a known token or
// administrator, and their address is private.
const REJECTED_STATUSES = new Set([401, 403, 429])
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])
// A log line for each would be more work for an overloaded process. They are counted.
const QUIET_REASONS = new Set(['writes_overload', 'reads_overload', 'pages_overload', 'screens_overload'])

export function observe({ log, metrics, requestLog }: Services): Middleware {
  const requests = withoutRedaction(log)
  return (ctx, next) => {
    const startedMs = performance.now()
    const span = QUIET.has(ctx.path) ? undefined : startRequestSpan(ctx)
    // 'close' fires after the last byte has left or the client has disconnected, so streams count to their
    // end.
    ctx.res.once('close', () => {
      const ms = performance.now() - startedMs
      const { method, state, res } = ctx
      const { route = 'unknown' } = state
      const status = res.statusCode
      metrics.observeRequest({ method, route, status: String(status) }, ms / 1_000)
      endRequestSpan(span, ctx.method, route, status)
      const isSignIn = route.startsWith('/dashboard')
      if (status === 429)
        metrics.countLimited(state.overLimit ?? (state.token ? 'token' : isSignIn ? 'sign_in' : 'address'))
      requests[QUIET.has(route) || QUIET_REASONS.has(state.reason ?? '') ? 'debug' : 'info'](
        {
          requestId: state.requestId,
          traceId: span?.traceId,
          method,
          // Not the path, which may contain an e-mail address.
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          tokenId: state.token?.id,
          adminId: state.adminId,
          address: REJECTED_STATUSES.has(status) ? ctx.ip : undefined,
          cutOff: res.writableFinished ? undefined : true,
        },
        'request',
      )
      if (state.token) {
        requestLog.record(state.token.id, {
          time: instantOf(state.receivedMs),
          method,
          path: ctx.path,
          status,
          code: state.refused ?? null,
          request_id: state.requestId,
          duration_ms: Math.round(ms),
        })
      }
    })
    return within(span, next)
  }
}

function startRequestSpan(ctx: Context): Span | undefined {
  const { method } = ctx
  const parent = ctx.get('traceparent') || undefined
  return startTrace(method, { kind: 'server', parent, attributes: { 'http.request.method': method } })
}

function endRequestSpan(span: Span | undefined, method: string, route: string, status: number) {
  if (!span) return
  span.rename(`${method} ${route}`)
  span.set({ 'http.route': route, 'http.response.status_code': status })
  span.end(status >= 500 ? { name: String(status) } : undefined)
}
