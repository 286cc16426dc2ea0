// ETags of finished texts, and whether a request says that its client has one already.
import { hash } from 'node:crypto'
import type { Context } from '../context.ts'
import { plainETag } from './middleware/content-coding.ts'

export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}

/** True where the client has this very text already: it gets a 304. */
export function sendNotModified(ctx: Context, etag: string): boolean {
  ctx.set('ETag', etag)
  const known = findETag(ctx.get('If-None-Match'), etag)
  if (!known) return false
  // Which may be that of the text in some coding.
  ctx.set('ETag', known)
  ctx.status = 304
  ctx.body = null
  return true
}

// RFC 9110, 13.1.2. Koa's own `fresh` gives up where the request says `Cache-Control: no-cache`, which is meant for
// caches, and which every fetch sends along with If-None-Match.
function findETag(ifNoneMatch: string, etag: string): string | undefined {
  const etags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return etags.find((each) => plainETag(each) === etag) ?? (etags.includes('*') ? etag : undefined)
}
