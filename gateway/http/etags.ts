// ETags in requests: whether a client has an answer already, and which state of a resource it wants to write over.
import { IF_MATCH_MAX } from '../../shared/contracts/version.ts'
import type { Context } from '../context.ts'
import { plainETag } from './middleware/content-coding.ts'

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

// All that the ETag of a state of ours can be, and what may follow it; nothing else will ever match.
const STRONG_ETAG = /^("[\w-]{27})(?:\.[\w.]+)?"$/

/** The ETag of an answer which has more than its state: what that has beside it, in letters, digits, _ and dots. */
export function extendETag(etag: string, more: string): string {
  return etag.replace(/"$/, `.${more}"`)
}

/**
 * The ETags of If-Match, of which the resource must have one; undefined where there is no condition. `*` is none either:
 * what does not exist is 404 anyway. Weak ones never match (RFC 9110, 13.1.1), and neither does what is no ETag.
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
