// ETags of finished texts, and whether a request says that its client has one already.
import { hash } from 'node:crypto'
import type { Context } from '../context.ts'

export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}

/** True where the client has this very text already: it gets a 304. */
export function sendNotModified(ctx: Context, etag: string): boolean {
  ctx.set('ETag', etag)
  if (!matchesETag(ctx.get('If-None-Match'), etag)) return false
  ctx.status = 304
  ctx.body = null
  return true
}

// RFC 9110, 13.1.2. Koa's own `fresh` gives up where the request says `Cache-Control: no-cache`, which is meant for
// caches, and which every fetch sends along with If-None-Match.
function matchesETag(ifNoneMatch: string, etag: string): boolean {
  const etags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return etags.includes('*') || etags.includes(etag)
}
