// Gives every request a path. Node's parser finds none in an address like “http://?q=1”, and code that reads
// it would fail.
import type { Middleware } from '../../services/context.ts'

export const requestPath: Middleware = (ctx, next) => {
  if (typeof ctx.path !== 'string') ctx.req.url = '/'
  return next()
}
