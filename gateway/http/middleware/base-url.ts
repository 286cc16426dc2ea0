// Finds the address under which the client called this service: links in answers start with it.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

export function baseUrl({ config }: Services): Middleware {
  return (ctx, next) => {
    ctx.state.baseUrl = config.publicUrl ?? addressOf(ctx, config.port)
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
