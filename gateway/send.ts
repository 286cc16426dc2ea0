// Sends a finished answer: a text, a stream, or nothing.
import { createHash } from 'node:crypto'
import { retryAfter } from '../shared/refusal.ts'
import type { Context } from './context.ts'
import type { Answer } from './endpoint.ts'
import { markAsProblem } from './middleware/errors.ts'
import { FINISHED_BYTES_MAX } from './streams.ts'

export function send(ctx: Context, answer: Answer) {
  const { status, body } = answer
  ctx.status = status
  if (answer.headers) ctx.set(answer.headers)
  if (answer.replayed) ctx.set('Idempotency-Replayed', 'true')
  if (answer.refused) {
    ctx.set(retryAfter(answer.refused))
    markAsProblem(ctx)
  } else if (body !== null) {
    ctx.type = answer.contentType ?? 'application/json; charset=utf-8'
  }
  if (answer.hashed && typeof body === 'string' && sendUnchanged(ctx, body)) return
  // A part must never be taken for the whole: Koa ends the connection where a stream breaks.
  ctx.body = body
}

/** True where the client has this very text already. */
function sendUnchanged(ctx: Context, body: string): boolean {
  ctx.set('Cache-Control', 'private, no-cache')
  if (Buffer.byteLength(body) > FINISHED_BYTES_MAX) return false
  ctx.set('ETag', `"${createHash('sha1').update(body).digest('base64url')}"`)
  if (!ctx.fresh) return false
  ctx.status = 304
  ctx.body = null
  return true
}
