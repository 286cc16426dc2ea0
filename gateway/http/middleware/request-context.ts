// What every request has: an id (a valid one from the client is kept), a path, and the address under which
// the client called this service, with which links in answers start.
import { randomUUID } from 'node:crypto'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

const VALID_ID = /^[\w.:+/=@-]{1,128}$/
const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

export function requestContext({ now, config }: Services): Middleware {
  return (ctx, next) => {
    const { state } = ctx
    const sent = ctx.get('X-Request-Id')
    state.requestId = VALID_ID.test(sent) ? sent : randomUUID()
    state.receivedMs = now()
    state.baseUrl = config.publicUrl ?? addressOf(ctx, config.port)
    ctx.res.setHeader('X-Request-Id', state.requestId)
    // Node's parser finds no path in an address like “http://?q=1”, and code that reads it would fail.
    if (typeof ctx.path !== 'string') ctx.req.url = '/'
    return next()
  }
}

function addressOf(ctx: Context, port: number): string {
  // Koa trusts forwarded headers only if app.proxy is set: TRUST_PROXY.
  const { host, protocol } = ctx
  return `${protocol === 'https' ? 'https' : 'http'}://${HOST.test(host) ? host : `localhost:${port}`}`
}

/** HTTP/1.1 requires the header. Node would refuse too, but with an empty body. */
export const requireHost: Middleware = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.headers.host === undefined) {
    throw new Refusal('malformed_body', message`The Host header is missing.`)
  }
  return next()
}
