// Gives every request an id, and every answer a header with it. A valid id from the client is kept.
import { randomUUID } from 'node:crypto'
import type { Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

const VALID = /^[\w.:+/=@-]{1,128}$/

export function requestId({ now }: Services): Middleware {
  return (ctx, next) => {
    const sent = ctx.get('X-Request-Id')
    ctx.state.requestId = VALID.test(sent) ? sent : randomUUID()
    ctx.state.receivedMs = now()
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
    return next()
  }
}
