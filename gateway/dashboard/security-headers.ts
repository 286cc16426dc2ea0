// The headers that keep a page to itself: nothing from elsewhere, nothing inline, in no frame, in no cache.
import type { Context } from '../context.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function secureHeaders(ctx: Context) {
  ctx.set('Content-Security-Policy', POLICY)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.set('Cache-Control', 'no-store')
}
