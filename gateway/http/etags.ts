// ETags in requests: whether a client already has an answer, and which state of a resource it wants to
// overwrite.
import { IF_MATCH_MAX } from '../../shared/schemas/inputs.ts'
import type { Context } from '../services/context.ts'
import { plainETag } from './middleware/compress.ts'

/** Returns true if the client already has exactly this text; it gets a 304. */
export function sendNotModified(ctx: Context, etag: string): boolean {
  ctx.set('ETag', etag)
  const known = findETag(ctx.get('If-None-Match'), etag)
  if (!known) return false
  // The ETag may be that of the compressed text.
  ctx.set('ETag', known)
  ctx.status = 304
  ctx.body = null
  return true
}

// RFC 9110, 13.1.2. Koa's own `fresh` gives up if the request says `Cache-Control: no-cache`, which is meant
// for caches, and which every fetch sends along with If-None-Match.
function findETag(ifNoneMatch: string, etag: string): string | undefined {
  const etags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return etags.find((each) => plainETag(each) === etag) ?? (etags.includes('*') ? etag : undefined)
}

// Every form that an ETag of our states can have, and what may follow it; nothing else ever matches.
const STRONG_ETAG = /^("[\w-]{27})(?:\.[\w.]+)?"$/

/**
 * The ETags of If-Match, one of which the resource must have; undefined without a condition. `*` is no
 * condition either, because what does not exist is 404 anyway. Weak ETags never match (RFC 9110, 13.1.1), and
 * neither do malformed ones.
 */
export function readIfMatch({ headers }: Pick<Context, 'headers'>): string[] | undefined {
  const header = headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  const etags = header.split(',').flatMap((each) => {
    const [, state] = STRONG_ETAG.exec(plainETag(each.trim())) ?? []
    return state === undefined ? [] : `${state}"`
  })
  return [...new Set(etags)].slice(0, IF_MATCH_MAX)
}
