// Finds the route for a request's path and method: the parts of the path lead to it, without a try of every
// pattern.
import { message } from '../../shared/messages/message.ts'
import { Refusal, unknownPath } from '../../shared/messages/refusal.ts'
import type { Context, Middleware, Next } from '../services/context.ts'

type Handler = (ctx: Context, next: Next) => Promise<unknown> | unknown

type Route = { path: string; names: string[]; methods: Map<string, Handler> }
type Found = { route: Route; params: Record<string, string> }

/** How paths continue from here: by a literal part, by a part with such an ending, or else by any part. */
type Branch = {
  literals: Map<string, Branch>
  endings: Map<string, Branch>
  parameter?: Branch
  route?: Route
}

const newBranch = (): Branch => ({ literals: new Map(), endings: new Map() })

export class Routes {
  readonly #root = newBranch()

  /** `path` is the declared path, with parameters in braces; it is recorded for metrics and logs. */
  add(method: string, path: string, handle: Handler, { withoutHead = false } = {}) {
    const route = routeAt(this.#root, path)
    for (const each of method === 'GET' && !withoutHead ? ['HEAD', 'GET'] : [method]) {
      if (route.methods.has(each)) throw new Error(`${each} ${path} is declared twice`)
      route.methods.set(each, handle)
    }
  }

  /** The route of a path, with its parameters; undefined if there is none. */
  find(path: string): Found | undefined {
    const values: string[] = []
    const route = findRoute(this.#root, partsOf(path), 0, values)
    if (!route) return undefined
    const params: Record<string, string> = {}
    for (const [index, name] of route.names.entries()) params[name] = decode(values[index] ?? '')
    return { route, params }
  }

  /** Answers by the routes: 404 for an unknown path, 405 for another method. */
  middleware(): Middleware {
    return async (ctx, next) => {
      const { path } = ctx
      const found = this.find(path)
      if (!found) throw unknownPath(path)
      const { route, params } = found
      const handle = route.methods.get(ctx.method)
      if (!handle) return answerOtherMethod(ctx, route)
      ctx.params = params
      ctx.state.route = route.path
      return handle(ctx, next)
    }
  }
}

// A trailing slash changes nothing.
function partsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')
}

// What is no valid encoding is a value like any other.
function decode(value: string): string {
  try {
    return value.includes('%') ? decodeURIComponent(value) : value
  } catch {
    return value
  }
}

function routeAt(root: Branch, path: string): Route {
  let branch = root
  const names: string[] = []
  for (const part of partsOf(path)) {
    const [, name, ending = ''] = /^\{(\w+)\}(.*)$/.exec(part) ?? []
    if (name !== undefined) names.push(name)
    if (name !== undefined && ending === '') {
      branch.parameter ??= newBranch()
      branch = branch.parameter
    } else {
      const [branches, key] = name === undefined ? [branch.literals, part] : [branch.endings, ending]
      const next = branches.get(key) ?? newBranch()
      branches.set(key, next)
      branch = next
    }
  }
  branch.route ??= { path, names, methods: new Map() }
  if (branch.route.path !== path) throw new Error(`${branch.route.path} and ${path} are the same path`)
  return branch.route
}

/** Literal parts win over parts with an ending, and those over parameters; earlier parts decide first. */
function findRoute(branch: Branch, parts: string[], index: number, values: string[]): Route | undefined {
  const part = parts[index]
  if (part === undefined) return branch.route
  const literal = branch.literals.get(part)
  const found = literal && findRoute(literal, parts, index + 1, values)
  if (found) return found
  for (const [ending, next] of branch.endings)
    if (part.endsWith(ending) && part.length > ending.length) {
      const route = findWith(next, part.slice(0, -ending.length), parts, index, values)
      if (route) return route
    }
  return branch.parameter && part !== '' ? findWith(branch.parameter, part, parts, index, values) : undefined
}

function findWith(branch: Branch, value: string, parts: string[], index: number, values: string[]) {
  values.push(value)
  const route = findRoute(branch, parts, index + 1, values)
  if (!route) values.pop()
  return route
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
