// Turns the declared endpoints into routes. The order of the checks stands here: path, method, token, ability,
// rate, body, fields; what only the data can tell comes after them.
import { Router } from '@koa/router'
import { instantOf } from '../shared/date-times.ts'
import { Refusal } from '../shared/refusal.ts'
import type { Context, Middleware } from './context.ts'
import type { Call, Endpoint } from './endpoint.ts'
import { authenticate, authorize } from './middleware/authenticate.ts'
import { readIdempotency } from './middleware/idempotency.ts'
import { jsonBody } from './middleware/json-body.ts'
import { countRequest, refuseExcess } from './middleware/rate-limit.ts'
import { type Input, validate } from './middleware/validate.ts'
import { send } from './send.ts'
import type { Services } from './services.ts'

/** A page outside of the API: documents, health and figures. No token, no schema. */
export type Page = { path: string; show(ctx: Context, services: Services): Promise<void> | void }

export const API = '/api/v1'

export function createRoutes(endpoints: Endpoint[], pages: Page[], services: Services): Middleware[] {
  const router = new Router({ sensitive: true })
  const common = {
    authenticate: authenticate(services),
    countRequest: countRequest(services),
    body: jsonBody(services),
  }

  for (const page of pages) {
    register(router, 'GET', page.path, [async (ctx) => page.show(ctx, services)])
  }
  for (const endpoint of literalFirst(endpoints)) {
    register(router, endpoint.method, API + endpoint.path, [
      common.authenticate,
      common.countRequest,
      authorize(endpoint.ability),
      refuseExcess,
      ...(endpoint.body ? [common.body] : []),
      answerWith(endpoint, services),
    ])
  }
  return [guardMethods(router), router.routes() as unknown as Middleware]
}

function register(router: Router, method: string, path: string, steps: Middleware[]) {
  const note: Middleware = (ctx, next) => {
    ctx.state.route = path
    return next()
  }
  const koaPath = path.replace(/\{(\w+)\}/g, ':$1')
  router.register(koaPath, [method], [note, ...steps] as unknown as Parameters<Router['register']>[2])
}

function answerWith(endpoint: Endpoint, services: Services): Middleware {
  return async (ctx) => {
    const input = validate(endpoint, ctx)
    send(ctx, await endpoint.handle(callOf(ctx, input, services)))
  }
}

function callOf(ctx: Context, input: Input, services: Services): Call {
  const { requestId, baseUrl, receivedMs, token } = ctx.state
  return {
    ...input,
    baseUrl,
    path: ctx.path,
    search: ctx.querystring,
    now: instantOf(receivedMs),
    services,
    dispatch: (name, jobInput) =>
      services.dispatcher.dispatch(name, jobInput, {
        actor: { type: 'token', id: token?.id ?? null, name: token?.name ?? '' },
        requestId,
        baseUrl,
        receivedAt: instantOf(receivedMs),
        idempotency: readIdempotency(ctx, jobInput),
      }),
  }
}

// Before the router, because it would let GET users/import fall through to users/{id}: the most literal path that
// matches is the one that was meant.
function guardMethods(router: Router): Middleware {
  return async (ctx, next) => {
    const layers = router.match(ctx.path, ctx.method).path.filter((layer) => layer.methods.length > 0)
    const [meant] = layers
    if (!meant) throw new Refusal('not_found', `There is nothing at ${ctx.path}.`)
    const methods = layers.filter((layer) => layer.path === meant.path).flatMap((layer) => layer.methods)
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', allow)
      ctx.status = 204
      return
    }
    if (!methods.includes(ctx.method)) {
      throw new Refusal('method_not_allowed', `${ctx.method} is not offered here. Offered are: ${allow}.`, {
        headers: { Allow: allow },
      })
    }
    return next()
  }
}

/** Literal paths beat those with an id in the same place. */
export function literalFirst(endpoints: Endpoint[]): Endpoint[] {
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
