// Gives every request its id, and every answer the header with it. A valid one that the client sent is kept.
import { randomUUID } from 'node:crypto'
import type { Middleware } from '../context.ts'

const VALID = /^[\w.:+/=@-]{1,128}$/

export const requestId: Middleware = async (ctx, next) => {
  const sent = ctx.get('X-Request-Id')
  ctx.state.requestId = VALID.test(sent) ? sent : randomUUID()
  ctx.state.receivedMs = Date.now()
  ctx.set('X-Request-Id', ctx.state.requestId)
  return next()
}
