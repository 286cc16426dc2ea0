// Sets up what every request has: an id (a valid id from the client is kept), a path, the base URL by which
// the client called the gateway, which starts the links in responses, and the headers of every response.
import { randomUUID } from 'node:crypto'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Config } from '../../../../shared/settings/config.ts'
import type { Context, Middleware, State } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

const REQUEST_ID_PATTERN = /^[\w.:+/=@-]{1,128}$/
// A host name has at most 253 characters. Longer ones would take much memory, because each document of the API contains
// the base URL hundreds of times.
const HOST_PATTERN = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[\da-fA-F:.]{2,45}\](:\d{1,5})?$/

export function createRequestContext({ now, config }: Services): Middleware {
  return (ctx, next) => {
    const { req, res } = ctx
    const { 'x-request-id': sent } = req.headers
    const requestId = typeof sent === 'string' && REQUEST_ID_PATTERN.test(sent) ? sent : randomUUID()
    ctx.state = new RequestState(ctx, config, requestId, now())
    res.setHeader('X-Request-Id', requestId)
    for (const [name, value] of ISOLATION_HEADER_ENTRIES) res.setHeader(name, value)
    // Node's parser finds no path in a URL like “http://?q=1”, and code that reads the path would fail.
    if (typeof ctx.path !== 'string') req.url = '/'
    return next()
  }
}

class RequestState implements State {
  readonly requestId: string
  readonly receivedMs: number
  readonly #ctx: Context
  readonly #config: Config

  constructor(ctx: Context, config: Config, requestId: string, receivedMs: number) {
    this.#ctx = ctx
    this.#config = config
    this.requestId = requestId
    this.receivedMs = receivedMs
  }

  // Computed on first use, because most reads return no links.
  get baseUrl(): string {
    const { publicUrl, port } = this.#config
    if (publicUrl !== undefined) return publicUrl
    // Koa trusts forwarded headers only if app.proxy is set, which TRUST_PROXY does.
    const { host, protocol } = this.#ctx
    return `${protocol === 'https' ? 'https' : 'http'}://${HOST_PATTERN.test(host) ? host : `localhost:${port}`}`
  }
}

/** Refuses an HTTP/1.1 request without a Host header. Node would refuse it too, but with an empty body. */
export const requireHost: Middleware = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.headers.host === undefined) {
    throw new Refusal('malformed_body', message`The Host header is missing.`)
  }
  return next()
}

export const ISOLATION_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

const ISOLATION_HEADER_ENTRIES = Object.entries(ISOLATION_HEADERS)

const ALLOWED_REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id'
const EXPOSED_ANSWER_HEADERS =
  'Content-Disposition, Deprecation, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id'

/** The path for MCP agents, which use additional headers. */
const AGENT_PATH = '/mcp'
const MCP_SESSION_HEADER = ', Mcp-Session-Id'
const MCP_HEADERS = `${MCP_SESSION_HEADER}, Mcp-Protocol-Version`

export function allowCrossOrigin({ config }: Services, isClosed: (path: string) => boolean): Middleware {
  const allowsAll = config.corsOrigins.includes('*')
  const listed = new Set(config.corsOrigins)
  if (listed.size === 0) return (_ctx, next) => next()
  return (ctx, next) => {
    if (isClosed(ctx.path)) return next()
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (origin && (allowsAll || listed.has(origin))) {
      ctx.set('Access-Control-Allow-Origin', allowsAll ? '*' : origin)
      const isAgent = ctx.path === AGENT_PATH
      ctx.set('Access-Control-Expose-Headers', EXPOSED_ANSWER_HEADERS + (isAgent ? MCP_SESSION_HEADER : ''))
      if (ctx.method === 'OPTIONS') {
        ctx.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
        ctx.set('Access-Control-Allow-Headers', ALLOWED_REQUEST_HEADERS + (isAgent ? MCP_HEADERS : ''))
        ctx.set('Access-Control-Max-Age', '600')
      }
    }
    return next()
  }
}
