// Redirects browsers that open an API address without a token to the corresponding page, before anything is
// looked up. The address of the service itself leads people to their own pages and administrators to the dashboard:
// each site receives only its own cookies, so one asks after the other.

import { acceptsType } from '../../../server/http/middleware/compress.ts'
import type { Context, Middleware } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { DASHBOARD, linkTo, MY, rootPath } from '../../sessions/addresses.ts'

const LIVEMAP = /^\/api\/v1\/bookings\/(\d{1,16})\/livemap$/

export function redirectBrowsers({ config }: Services): Middleware {
  const root = rootPath(config) + DASHBOARD
  const start = config.peoplePages ? rootPath(config) + MY + START_PATH : linkTo(root, '/')
  return (ctx, next) => {
    const [, booking] = LIVEMAP.exec(ctx.path) ?? []
    if ((booking === undefined && ctx.path !== '/') || !isBrowser(ctx)) return next()
    ctx.vary('Accept')
    ctx.redirect(booking === undefined ? start : linkTo(root, '/map', { booking }))
    return Promise.resolve()
  }
}

export const START_PATH = '/start'

function isBrowser(ctx: Context): boolean {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
  return acceptsType(ctx.get('Accept'), 'text/html') && ctx.headers.authorization === undefined
}
