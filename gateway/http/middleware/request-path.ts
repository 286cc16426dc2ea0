// Every request has a path. Of an address like “http://?q=1” Node's parser makes none, and whoever reads it would fail.
import type { Middleware } from '../../context.ts'

export const requestPath: Middleware = (ctx, next) => {
  if (typeof ctx.path !== 'string') ctx.req.url = '/'
  return next()
}
