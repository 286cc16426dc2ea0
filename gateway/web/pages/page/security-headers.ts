// The headers that isolate a page from other sites. They forbid content from other origins, inline content,
// frames and caching.
import type { Context } from '../../../server/services/context.ts'
import { isPagePath } from '../../sessions/addresses.ts'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function setSecurityHeaders(ctx: Context) {
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.set('Cache-Control', 'no-store')
}

/** Returns which responses are sent uncompressed. The length of a compressed page reveals its content if it
 * also contains text that an attacker chose (BREACH). Such an attacker must make the browser request the page
 * many times, with their text in the address. So two kinds of responses are sent uncompressed: pages that
 * another site makes the browser request, and responses to forms, which may contain what is shown only once.
 * Because some browsers do not send the requesting site, each page also masks the token of forms anew. */
export function skipsCompression(ctx: Context): boolean {
  if (ctx.response.type === 'text/event-stream') return true
  if (!isPagePath(ctx.path) || ctx.response.type !== 'text/html') return false
  const isForm = ctx.method !== 'GET' && ctx.method !== 'HEAD'
  return isForm || ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'))
}
