// Sends a finished response, which is a text, a stream or empty.
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AcceptedJobReply } from '../../../shared/jobs/accepted-jobs.ts'
import { createRetryAfterHeader } from '../../../shared/messages/refusal.ts'
import { isFullyChecked, type Progress } from '../../../shared/schemas/progress.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import type { Context } from '../services/context.ts'
import type { Answer } from './call.ts'
import { toUncompressedETag } from './middleware/compress.ts'
import { setProblemContentType } from './middleware/errors.ts'
import { UNSTREAMED_BYTES_MAX } from './streams.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** The number of characters from which a text counts as long. */
const LONG_TEXT_LENGTH_MIN = 4_096
const KEEPALIVE_CHECK_MS = 1_000
const RETRY_AFTER_SECONDS = '2'

export function sendResponse(ctx: Context, answer: Answer) {
  const { status, body } = answer
  ctx.status = status
  if (answer.headers) ctx.set(answer.headers)
  if (status === 202 && typeof body === 'string') {
    ctx.append('Preference-Applied', 'respond-async')
    // The body describes the accepted job, even if it was stored under an idempotency key.
    const { data }: AcceptedJobReply = JSON.parse(body)
    const location = `${ctx.state.baseUrl}/api/v1/jobs/${data.id}`
    ctx.set({ Location: location, 'Retry-After': RETRY_AFTER_SECONDS })
  }
  if (answer.replayed) ctx.set('Idempotency-Replayed', 'true')
  if (answer.refused) {
    ctx.state.refused = answer.refused
    ctx.set(createRetryAfterHeader(answer.refused))
    setProblemContentType(ctx)
  } else if (body !== null) {
    if (answer.contentType === undefined) ctx.res.setHeader('Content-Type', JSON_TYPE)
    else ctx.type = answer.contentType
  }
  if (answer.hasETag && (typeof body === 'string' || answer.etag !== undefined)) {
    ctx.res.setHeader('Cache-Control', 'private, no-cache')
    // Converts a long text to bytes once, to measure, hash and send it.
    const sent = typeof body === 'string' && body.length >= LONG_TEXT_LENGTH_MIN ? Buffer.from(body) : body
    const etag = answer.etag ?? hashUnlessLong(sent)
    if (etag === undefined || !sendNotModified(ctx, etag)) ctx.body = sent
    return
  }
  // Koa would turn a null body into 204. If a stream breaks, Koa ends the connection, so that no client takes
  // a part of the response for the whole.
  ctx.body = body ?? (status === 204 ? null : '')
}

function hashUnlessLong(sent: Answer['body'] | Buffer): string | undefined {
  const isHashed = (typeof sent === 'string' || Buffer.isBuffer(sent)) && sent.length <= UNSTREAMED_BYTES_MAX
  return isHashed ? computeEtag(sent) : undefined
}

/** Returns true if the client already has exactly this text. The response is then a 304. */
export function sendNotModified(ctx: Context, etag: string): boolean {
  ctx.res.setHeader('ETag', etag)
  const { 'if-none-match': asked } = ctx.headers
  const known = asked && findETag(asked, etag)
  if (!known) return false
  // Sends the ETag that the client knows, which may be the ETag of the compressed text.
  ctx.set('ETag', known)
  ctx.status = 304
  ctx.body = null
  return true
}

// Implements RFC 9110, section 13.1.2. Koa's own `fresh` gives up if the request says `Cache-Control:
// no-cache`, which is meant for caches, and which every call of fetch sends along with If-None-Match.
function findETag(ifNoneMatch: string, etag: string): string | undefined {
  const etags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return etags.find((each) => toUncompressedETag(each) === etag) ?? (etags.includes('*') ? etag : undefined)
}

/** Sends a response that may take long. Routers of hosting providers cut a connection that is silent for 30
 * s, so after `keepaliveAfterMs` (20 s) the response begins with white space and is kept alive. Its status is
 * 200 from then on, so it never begins before everything that can be refused has been checked. */
export async function sendWhenReady(
  ctx: Context,
  answer: Promise<Answer>,
  progress: () => Progress | undefined,
  keepaliveAfterMs: number,
): Promise<void> {
  const startedMs = Date.now()
  for (;;) {
    const ready = await Promise.race([answer, sleep(KEEPALIVE_CHECK_MS, undefined, { ref: false })])
    if (ready) return sendResponse(ctx, ready)
    const begun = progress()
    if (Date.now() - startedMs >= keepaliveAfterMs && begun && isFullyChecked(begun)) break
  }
  const body = new PassThrough()
  const keepAlive = setInterval(() => body.write(' '), keepaliveAfterMs / 2)
  body.write(' ')
  ctx.status = 200
  ctx.type = JSON_TYPE
  ctx.body = body
  answer
    .then((late) => {
      if (late.refused || typeof late.body !== 'string') throw new Error('Refused after its answer had begun')
      body.end(late.body)
    })
    .catch(() => ctx.res.destroy())
    .finally(() => clearInterval(keepAlive))
}
