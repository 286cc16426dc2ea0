// Turns the declared endpoints into routes. The order of the checks stands here: path, method, token, ability,
// rate, body, fields; what only the data can tell comes after them.
import { Router } from '@koa/router'
import type { Progress } from '../../shared/contracts/progress.ts'
import { instantOf } from '../../shared/date-times.ts'
import { Refusal, unknownPath } from '../../shared/refusal.ts'
import { type Context, type Middleware, requireToken } from '../context.ts'
import type { Origin } from '../jobs/dispatch.ts'
import type { Services } from '../services.ts'
import { acceptedAnswer } from './accepted-answer.ts'
import type { Call, Endpoint } from './endpoint.ts'
import { authenticate, authorize } from './middleware/authenticate.ts'
import { fileBody } from './middleware/file-body.ts'
import { readIdempotency } from './middleware/idempotency.ts'
import { jsonBody } from './middleware/json-body.ts'
import { countRequest, refuseExcess } from './middleware/rate-limit.ts'
import { type Input, validate } from './middleware/validate.ts'
import { send, sendWhenReady } from './send.ts'

/** A route outside the API: documents, health checks and metrics. No token, no schema. */
export type PlainRoute = { path: string; handle(ctx: Context, services: Services): Promise<void> | void }

export const API = '/api/v1'

export function createRoutes(
  endpoints: Endpoint[],
  plainRoutes: PlainRoute[],
  services: Services,
): Middleware[] {
  const router = new Router({ sensitive: true })
  const common = {
    authenticate: authenticate(services),
    countRequest: countRequest(services),
    body: jsonBody(services),
    file: fileBody(services),
  }

  for (const route of plainRoutes) {
    register(router, 'GET', route.path, [async (ctx) => route.handle(ctx, services)])
  }
  for (const endpoint of literalFirst(endpoints)) {
    const layer = register(router, endpoint.method, API + endpoint.path, [
      common.authenticate,
      common.countRequest,
      authorize(endpoint.ability),
      refuseExcess,
      ...(endpoint.takesFile ? [common.file] : endpoint.body ? [common.body] : []),
      answerWith(endpoint, services),
    ])
    if (endpoint.withoutHead) layer.methods = layer.methods.filter((method) => method !== 'HEAD')
  }
  return [guardMethods(router), routesOf(router)]
}

/** The router fills in what its type asks of a context: the parameters of the path. */
export const routesOf = (router: Router): Middleware => router.routes() as Middleware

/** Adds a route that notes its declared path, for figures and logs. */
export function register(router: Router, method: string, path: string, steps: Middleware[]) {
  const note: Middleware = (ctx, next) => {
    ctx.state.route = path
    return next()
  }
  const koaPath = path.replace(/\{(\w+)\}/g, ':$1')
  return router.register(koaPath, [method], [note, ...steps])
}

function answerWith(endpoint: Endpoint, services: Services): Middleware {
  return async (ctx) => {
    const input = validate(endpoint, ctx)
    const call = callOf(ctx, endpoint, input, services)
    const answer = endpoint.handle(call)
    if (endpoint.isLong) await sendWhenReady(ctx, answer, call.progress, services.config.beginAnswerAfterMs)
    else send(ctx, await answer)
  }
}

function callOf(ctx: Context, endpoint: Endpoint, input: Input, services: Services): Call {
  const { requestId, baseUrl, receivedMs, upload } = ctx.state
  const token = requireToken(ctx)
  const originOf = (jobInput: object, hasKey: boolean): Origin => ({
    actor: { type: 'token', id: token.id, name: token.name },
    requestId,
    baseUrl,
    receivedAt: instantOf(receivedMs),
    // The same file is one of the same content, under whatever id it was stored.
    idempotency: hasKey
      ? readIdempotency(ctx, upload ? { ...jobInput, file_id: upload.sha256 } : jobInput)
      : null,
  })
  const signal = signalOf(ctx)
  let progress: Progress | undefined
  const onProgress = (news: Progress) => {
    progress = news
  }
  return {
    ...input,
    baseUrl,
    path: ctx.path,
    search: ctx.querystring,
    now: instantOf(receivedMs),
    signal,
    services,
    tokenId: token.id,
    upload,
    progress: () => progress,
    wantsAsync: endpoint.isLong === true && /\brespond-async\b/i.test(ctx.get('Prefer')),
    // A key belongs to writes: an export that is waited for is made anew, because its file is gone once it was sent.
    dispatch: (name, jobInput, options) =>
      services.dispatcher.dispatch(name, jobInput, originOf(jobInput, endpoint.method !== 'GET'), {
        onProgress,
        ...options,
      }),
    accept: async (name, jobInput) => {
      return acceptedAnswer(
        await services.dispatcher.accept(name, jobInput, originOf(jobInput, true), endpoint.ability),
        baseUrl,
      )
    },
  }
}

/** Aborted when the caller goes away before the answer is sent. */
export function signalOf(ctx: Context): AbortSignal {
  const controller = new AbortController()
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) controller.abort()
  })
  return controller.signal
}

// Before the router, because it would let GET users/import fall through to users/{id}: the most literal path that
// matches is the one that was meant.
export function guardMethods(router: Router): Middleware {
  return async (ctx, next) => {
    const layers = router.match(ctx.path, ctx.method).path.filter((layer) => layer.methods.length > 0)
    const [meant] = layers
    if (!meant) throw unknownPath(ctx.path)
    const methods = layers.filter((layer) => layer.path === meant.path).flatMap((layer) => layer.methods)
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', allow)
      ctx.status = 204
      return
    }
    if (!methods.includes(ctx.method)) {
      throw new Refusal(
        'method_not_allowed',
        `${ctx.method} is not supported here. Supported methods: ${allow}.`,
        {
          headers: { Allow: allow },
        },
      )
    }
    return next()
  }
}

/** Literal paths beat those with an id in the same place. */
export function literalFirst<Located extends { path: string }>(endpoints: Located[]): Located[] {
  const key = (path: string) => path.split('/').map((part) => (part.startsWith('{') ? '1' : `0${part}`))
  return [...endpoints].sort((a, b) => {
    const [left, right] = [key(a.path), key(b.path)]
    for (const [index, part] of left.entries()) {
      const other = right[index] ?? ''
      if (part[0] !== other[0]) return part < other ? -1 : 1
    }
    return left.length - right.length
  })
}
