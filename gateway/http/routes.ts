// Finds the route for a request's path and method. The router itself would try every pattern, twice per
// request; here only those with as many parts as the path are tried, in the order in which they win.
import { type Layer, Router } from '@koa/router'
import { message } from '../../shared/messages/message.ts'
import { Refusal, unknownPath } from '../../shared/messages/refusal.ts'
import type { Context, Middleware, Next } from '../services/context.ts'

type Handler = (ctx: Context, next: Next) => Promise<unknown> | unknown

type Route = {
  path: string
  /** The path with nameless parameters. */
  shape: string
  layer: Layer
  methods: Map<string, { layer: Layer; handle: Handler }>
}

export class Routes {
  readonly #router = new Router({ sensitive: true })
  readonly #routes: Route[][] = []

  /** `path` is the declared path, with parameters in braces; it is recorded for metrics and logs. */
  add(method: string, path: string, handle: Handler, { withoutHead = false } = {}) {
    const layer = this.#router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], handle)
    // Several paths would return several layers.
    if (layer instanceof Router) throw new Error(`${path} stands for several paths`)
    const route = this.#routeAt(path, layer)
    // GET includes HEAD.
    for (const each of layer.methods) {
      if (route.methods.has(each)) throw new Error(`${each} ${path} is declared twice`)
      if (each !== 'HEAD' || !withoutHead) route.methods.set(each, { layer, handle })
    }
  }

  find(path: string): Route | undefined {
    return this.#routes[countParts(path)]?.find(({ layer }) => layer.match(path))
  }

  /** Answers by the routes: 404 for an unknown path, 405 for another method. */
  middleware(): Middleware {
    return async (ctx, next) => {
      const { path } = ctx
      const route = this.find(path)
      if (!route) throw unknownPath(path)
      const found = route.methods.get(ctx.method)
      if (!found) return answerOtherMethod(ctx, route)
      const { layer, handle } = found
      ctx.params = layer.params(path, layer.captures(path))
      ctx.state.route = route.path
      return handle(ctx, next)
    }
  }

  #routeAt(path: string, layer: Layer): Route {
    const shape = path.replace(/\{\w+\}/g, '{}')
    const count = countParts(path)
    const others = this.#routes[count] ?? []
    const route = others.find((each) => each.shape === shape) ?? { path, shape, layer, methods: new Map() }
    if (route.path !== path) throw new Error(`${route.path} and ${path} are the same path`)
    this.#routes[count] = [...new Set([...others, route])].sort((a, b) => compareRanks(a.shape, b.shape))
    return route
  }
}

// A trailing slash changes nothing.
const countParts = (path: string) => path.split('/').length - (path.endsWith('/') ? 1 : 0)

/** Literal parts win over parts with an ending, and those over parameters; earlier parts decide first. */
function compareRanks(one: string, other: string): number {
  const rank = (shape: string) =>
    shape.split('/').map((part) => (part === '{}' ? 2 : Number(part.startsWith('{}'))))
  return rank(one).join('').localeCompare(rank(other).join(''))
}

function answerOtherMethod(ctx: Context, { methods }: Route) {
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
