// The headers that isolate a page: nothing from other origins, nothing inline, no frames, no caching.
import type { Context } from '../../services/context.ts'

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

// bull-board finds its files and pages by the base URL of its document, which we write, and adds one fixed
// style.
const BOARD_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='"
const BOARD_POLICY = POLICY.replace("base-uri 'none'", "base-uri 'self'").replace(
  "style-src 'self'",
  `style-src 'self' ${BOARD_STYLE}`,
)

export function secureBoardHeaders(ctx: Context) {
  ctx.set('Content-Security-Policy', BOARD_POLICY)
}

export function secureHeaders(ctx: Context) {
  ctx.set('Content-Security-Policy', POLICY)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.set('Cache-Control', 'no-store')
}
