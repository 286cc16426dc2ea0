// Writes one log line per request and counts the request, regardless of its result.
import { runWithinSpan, type Span, startTrace } from '../../../../shared/tracing/tracing.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { createUnredactedLog } from '../../../../shared/utilities/log.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

// The statuses of requests whose client address is logged, because the client may be trying to break in. Other requests
// have a known token or administrator, and their address is private.
const REJECTED_STATUSES = new Set([401, 403, 429])
const UNLOGGED_PATHS = new Set(['/healthz', '/readyz', '/metrics'])
// Reasons of refusals that are counted but not logged: log lines would be too much work for an overloaded
// process.
const UNLOGGED_REASONS = new Set(['writes_overload', 'reads_overload', 'pages_overload', 'screens_overload'])

export function observeRequests({ log, metrics, requestLog }: Services): Middleware {
  const requests = createUnredactedLog(log)
  return (ctx, next) => {
    const startedMs = performance.now()
    const span = UNLOGGED_PATHS.has(ctx.path) ? undefined : startRequestSpan(ctx)
    // 'close' fires after the last byte is sent or the client has disconnected, so streams are measured to their end.
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
      requests[UNLOGGED_PATHS.has(route) || UNLOGGED_REASONS.has(state.reason ?? '') ? 'debug' : 'info'](
        {
          requestId: state.requestId,
          traceId: span?.traceId,
          method,
          // Logs the route instead of the path, which may contain an e-mail address.
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
          time: formatInstant(state.receivedMs),
          method,
          path: ctx.path,
          status,
          code: state.refused ?? null,
          request_id: state.requestId,
          duration_ms: Math.round(ms),
        })
      }
    })
    return runWithinSpan(span, next)
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
