// Finds the route for a request's path and method. The router itself would try every pattern, twice per
// request; here the parts of the path lead to the right route, and only its own pattern is matched.
import { type Layer, Router } from '@koa/router'
import { message } from '../../shared/messages/message.ts'
import { Refusal, unknownPath } from '../../shared/messages/refusal.ts'
import type { Context, Middleware, Next } from '../services/context.ts'

type Handler = (ctx: Context, next: Next) => Promise<unknown> | unknown

type Route = { path: string; methods: Map<string, { layer: Layer; handle: Handler }> }

/** How paths continue from here: by a literal part, by a part with such an ending, or else by any part. */
type Branch = {
  literals: Map<string, Branch>
  endings: Map<string, Branch>
  parameter?: Branch
  route?: Route
}

const newBranch = (): Branch => ({ literals: new Map(), endings: new Map() })

export class Routes {
  readonly #router = new Router({ sensitive: true })
  readonly #root = newBranch()

  /** `path` is the declared path, with parameters in braces; it is recorded for metrics and logs. */
  add(method: string, path: string, handle: Handler, { withoutHead = false } = {}) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    const layer = this.#router.register(pattern, [method], handle)
    // Several paths would return several layers.
    if (layer instanceof Router) throw new Error(`${path} stands for several paths`)
    const route = routeAt(this.#root, pattern, path)
    // GET includes HEAD.
    for (const each of layer.methods) {
      if (route.methods.has(each)) throw new Error(`${each} ${path} is declared twice`)
      if (each !== 'HEAD' || !withoutHead) route.methods.set(each, { layer, handle })
    }
  }

  /** The route of a path; undefined if there is none. */
  find(path: string): Route | undefined {
    return findRoute(this.#root, partsOf(path), 0)
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
}

// A trailing slash changes nothing.
function partsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')
}

function routeAt(root: Branch, pattern: string, path: string): Route {
  let branch = root
  for (const part of partsOf(pattern)) {
    branch = branchAt(branch, part)
  }
  branch.route ??= { path, methods: new Map() }
  if (branch.route.path !== path) throw new Error(`${branch.route.path} and ${path} are the same path`)
  return branch.route
}

function branchAt(branch: Branch, part: string): Branch {
  const [, ending] = /^:\w+(\..+)$/.exec(part) ?? []
  const [branches, key] = ending === undefined ? [branch.literals, part] : [branch.endings, ending]
  const next =
    (part.startsWith(':') && ending === undefined ? branch.parameter : branches.get(key)) ?? newBranch()
  if (part.startsWith(':') && ending === undefined) branch.parameter = next
  else branches.set(key, next)
  return next
}

/** Literal parts win over parts with an ending, and those over parameters; earlier parts decide first. */
function findRoute(branch: Branch, parts: string[], index: number): Route | undefined {
  const part = parts[index]
  if (part === undefined) return branch.route
  const { literals, endings, parameter } = branch
  const branches = [literals.get(part), ...withEnding(endings, part), part === '' ? undefined : parameter]
  for (const next of branches) {
    const found = next && findRoute(next, parts, index + 1)
    if (found) return found
  }
  return undefined
}

function withEnding(endings: Map<string, Branch>, part: string): Branch[] {
  if (endings.size === 0) return []
  return [...endings].flatMap(([ending, next]) =>
    part.endsWith(ending) && part.length > ending.length ? [next] : [],
  )
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
