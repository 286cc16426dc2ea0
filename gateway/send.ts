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
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
  ctx.set('ETag', etag)
  if (!names(ctx.get('If-None-Match'), etag)) return false
  ctx.status = 304
  ctx.body = null
  return true
}

// RFC 9110, 13.1.2. Koa's own `fresh` gives up where the request says `Cache-Control: no-cache`, which is meant for
// caches, and which every fetch sends along with If-None-Match.
function names(ifNoneMatch: string, etag: string): boolean {
  const named = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return named.includes('*') || named.includes(etag)
}
