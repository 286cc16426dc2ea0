// Finds out under which address this service was called: what links in answers start with.
import type { Middleware } from '../context.ts'
import type { Services } from '../services.ts'

const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

export function baseUrl({ config }: Services): Middleware {
  return async (ctx, next) => {
    // Koa heeds forwarded headers only where app.proxy says so: TRUST_PROXY.
    const host = HOST.test(ctx.host) ? ctx.host : `localhost:${config.port}`
    ctx.state.baseUrl = config.publicUrl ?? `${ctx.protocol}://${host}`
    return next()
  }
}
