// Creates routes from the declared endpoints. The checks run in this order: path, method, admission, token,
// ability, rate, body, fields. Checks that read from the database come last.

import { type Layer, Router } from '@koa/router'
import { type Message, message } from '../../../shared/messages/message.ts'
import { createUnknownPathRefusal, Refusal } from '../../../shared/messages/refusal.ts'
import { NO_TOKEN_OWNER } from '../../overload/admission.ts'
import { type Context, type Middleware, type Next, requireToken } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { type Answer, RequestCall } from './call.ts'
import { type Endpoint, isWrite, listRequiredAbilities } from './endpoint.ts'
import { findOwner, identifyToken, refuseOverRateLimit, requireAbilities } from './middleware/authenticate.ts'
import { createJsonBodyReader } from './middleware/body.ts'
import { createFileBodyReader } from './middleware/file-body.ts'
import { hasField, validate } from './middleware/validate.ts'
import { sendResponse, sendWhenReady } from './send.ts'

type Handler = (ctx: Context, next: Next) => Promise<unknown> | unknown

type RegisteredRoute = {
  path: string
  /** The path of the route, with placeholders instead of parameter names. */
  shape: string
  layer: Layer
  methods: Map<string, { layer: Layer; handle: Handler }>
}

/**
 * Finds the route of a path. Koa's router would try every pattern, twice per request. This class tries only patterns
 * with as many parts as the path, in order of precedence.
 */
export class Routes {
  readonly #router = new Router({ sensitive: true })
  readonly #routes: RegisteredRoute[][] = []

  /** `path` is the declared path, with parameters in braces. Metrics and logs show it. */
  add(method: string, path: string, handle: Handler, { withoutHead = false } = {}) {
    const layer = this.#router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], handle)
    // A route with an array of paths would have several layers.
    if (layer instanceof Router) throw new Error(`${path} stands for several paths`)
    const route = this.#routeAt(path, layer)
    // A GET route also answers HEAD requests.
    for (const each of layer.methods) {
      if (route.methods.has(each)) throw new Error(`${each} ${path} is declared twice`)
      if (each !== 'HEAD' || !withoutHead) route.methods.set(each, { layer, handle })
    }
  }

  find(path: string): RegisteredRoute | undefined {
    return this.#routes[countParts(path)]?.find(({ layer }) => layer.match(path))
  }

  /** Responds with these routes: 404 for an unknown path, 405 for another method. */
  middleware(): Middleware {
    return (ctx, next) => {
      const { path } = ctx
      const route = this.find(path)
      if (!route) throw createUnknownPathRefusal(path)
      const found = route.methods.get(ctx.method)
      if (!found) return Promise.resolve(answerUnsupportedMethod(ctx, route))
      const { layer, handle } = found
      ctx.params = layer.params(path, layer.captures(path))
      ctx.state.route = route.path
      return Promise.resolve(handle(ctx, next))
    }
  }

  #routeAt(path: string, layer: Layer): RegisteredRoute {
    const shape = path.replace(/\{\w+\}/g, '{}')
    const count = countParts(path)
    const others = this.#routes[count] ?? []
    const route = others.find((each) => each.shape === shape) ?? { path, shape, layer, methods: new Map() }
    if (route.path !== path) throw new Error(`${route.path} and ${path} are the same path`)
    this.#routes[count] = [...new Set([...others, route])].sort((a, b) => compareRanks(a.shape, b.shape))
    return route
  }
}

// Ignores a trailing slash.
const countParts = (path: string) => path.split('/').length - (path.endsWith('/') ? 1 : 0)

/** Compares two paths part by part. A literal part precedes a part with an ending, which precedes a parameter. */
export function compareRanks(one: string, other: string): number {
  const rankOf = (part: string) => (part.startsWith('{') ? (part.endsWith('}') ? 2 : 1) : 0)
  const ranksOf = (path: string) => path.split('/').map(rankOf).join('')
  return ranksOf(one).localeCompare(ranksOf(other))
}

function answerUnsupportedMethod(ctx: Context, { methods }: RegisteredRoute) {
  const allow = [...methods.keys(), 'OPTIONS'].join(', ')
  if (ctx.method !== 'OPTIONS') {
    throw new Refusal(
      'method_not_allowed',
      message`${ctx.method} is not supported here. Supported methods: ${allow}.`,
      { headers: { Allow: allow } },
    )
  }
  ctx.set('Allow', allow)
  ctx.status = 204
}

/** A route outside the API, for documents, health checks, metrics and agents. It checks tokens and fields itself. */
export type PlainRoute = {
  /** The HTTP method. Defaults to GET. */
  method?: 'POST'
  path: string
  handle(ctx: Context, services: Services): Promise<void> | void
}

export const API_PREFIX = '/api/v1'

export function createRoutes(
  endpoints: Endpoint[],
  plainRoutes: PlainRoute[],
  services: Services,
): Middleware {
  const routes = new Routes()
  for (const { method = 'GET', path, handle } of plainRoutes)
    routes.add(method, path, (ctx) => handle(ctx, services))
  const readApiJson = createJsonBodyReader(services)
  for (const endpoint of endpoints) {
    const { method, path, protocol, isOpen, takesFile, body, withoutHead } = endpoint
    const readJson = protocol ? createJsonBodyReader(services, protocol.bodyTypes) : readApiJson
    const answer = (ctx: Context) => answerCall(ctx, endpoint, services)
    const admission = services.admission[isWrite(endpoint) ? 'writes' : 'reads']
    const readForm = createFileBodyReader(services, {
      takesField: (name) => body !== undefined && hasField(body, name),
    })
    const checkToken = (ctx: Context) => {
      const isPersonal = requireToken(ctx).userId !== null
      requireAbilities(ctx, listRequiredAbilities(endpoint, isPersonal), endpoint.personal)
      refuseOverRateLimit(ctx)
      if (takesFile) return readForm(ctx, () => answer(ctx))
      return body ? readJson(ctx).then(() => answer(ctx)) : answer(ctx)
    }
    const check = (ctx: Context) => {
      announceDeprecation(ctx, endpoint)
      admission.requireCapacity(() => (isOpen ? NO_TOKEN_OWNER : findOwner(ctx, services)))
      if (isOpen) return answer(ctx)
      const identifying = identifyToken(ctx, services)
      return identifying ? identifying.then(() => checkToken(ctx)) : checkToken(ctx)
    }
    routes.add(method, (protocol?.base ?? API_PREFIX) + path, check, { withoutHead })
  }
  return routes.middleware()
}

/** Sets the headers Deprecation (RFC 9745) and Sunset (RFC 8594), also on refusals. */
function announceDeprecation(ctx: Context, { deprecation }: Endpoint) {
  if (!deprecation) return
  ctx.set('Deprecation', `@${Date.parse(deprecation.since) / 1_000}`)
  ctx.set('Sunset', new Date(deprecation.sunset).toUTCString())
}

async function answerCall(ctx: Context, endpoint: Endpoint, services: Services): Promise<void> {
  const call = createCall(ctx, endpoint, services)
  const { isLong, missing } = endpoint
  if (!isLong) return sendResponse(ctx, requireAnswer(await endpoint.handle(call), missing))
  const answer = endpoint.handle(call).then((found) => requireAnswer(found, missing))
  await sendWhenReady(ctx, answer, () => call.progress, services.config.keepaliveAfterMs)
}

/** Creates the call of an endpoint that the token may use. */
export function createCall(ctx: Context, endpoint: Endpoint, services: Services): RequestCall {
  fillInOwner(ctx, endpoint)
  return new RequestCall(ctx, endpoint, validate(endpoint, ctx), services)
}

// Fills in the id of the token's owner, so that a program with a personal token does not need to know it.
function fillInOwner({ state: { token }, request }: Context, { ownerField }: Endpoint) {
  if (ownerField === undefined || token == null || token.userId === null) return
  const { body } = request as { body?: unknown }
  if (!isObject(body)) return
  const items: unknown[] = Array.isArray(body.bookings) ? body.bookings : [body]
  for (const item of items.filter(isObject)) item[ownerField] ??= token.userId
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function requireAnswer(answer: Answer | undefined, missing: Message): Answer {
  if (answer) return answer
  throw new Refusal('not_found', missing)
}
