// Redirects browsers that open an API address without a token to the corresponding page, before anything is
// looked up. The bare address of Berth leads people to their own pages and administrators to the dashboard:
// each site receives only its own cookies, so one site redirects to the other.

import { doesAcceptType } from '../../../server/http/middleware/compress.ts'
import type { Context, Middleware } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { DASHBOARD_PATH, findRootPath, linkTo, MY_PAGES_PATH } from '../../sessions/addresses.ts'

const LIVEMAP_PATH_PATTERN = /^\/api\/v1\/bookings\/(\d{1,16})\/livemap$/

export function redirectBrowsers({ config }: Services): Middleware {
  const root = findRootPath(config) + DASHBOARD_PATH
  const start = config.peoplePages ? findRootPath(config) + MY_PAGES_PATH + START_PATH : linkTo(root, '/')
  return (ctx, next) => {
    const [, booking] = LIVEMAP_PATH_PATTERN.exec(ctx.path) ?? []
    if ((booking === undefined && ctx.path !== '/') || !isBrowser(ctx)) return next()
    ctx.vary('Accept')
    ctx.redirect(booking === undefined ? start : linkTo(root, '/map', { booking }))
    return Promise.resolve()
  }
}

export const START_PATH = '/start'

function isBrowser(ctx: Context): boolean {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
  return doesAcceptType(ctx.get('Accept'), 'text/html') && ctx.headers.authorization === undefined
}
