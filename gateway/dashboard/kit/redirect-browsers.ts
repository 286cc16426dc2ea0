// Redirects browsers that open an API address without a token to the corresponding page, before anything is
// looked up.

import { acceptsType } from '../../http/middleware/compress.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { DASHBOARD, linkTo, rootPath } from './sessions/addresses.ts'

const LIVEMAP = /^\/api\/v1\/bookings\/(\d{1,16})\/livemap$/

export function redirectBrowsers({ config }: Services): Middleware {
  const root = rootPath(config) + DASHBOARD
  return (ctx, next) => {
    const [, booking] = LIVEMAP.exec(ctx.path) ?? []
    if ((booking === undefined && ctx.path !== '/') || !isBrowser(ctx)) return next()
    ctx.vary('Accept')
    ctx.redirect(booking === undefined ? linkTo(root, '/') : linkTo(root, '/map', { booking }))
    return Promise.resolve()
  }
}

function isBrowser(ctx: Context): boolean {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
  return acceptsType(ctx.get('Accept'), 'text/html') && ctx.headers.authorization === undefined
}
