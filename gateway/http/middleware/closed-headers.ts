// The headers that keep every answer to whoever asked for it: no browser guesses its type, runs or frames it, and no cache
// keeps it. Whoever has more to say of an answer (the dashboard, the documents, the picture of a location) says it later.
import type { Middleware } from '../../context.ts'

export const CLOSED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

export const closedHeaders: Middleware = async (ctx, next) => {
  ctx.set(CLOSED_HEADERS)
  return next()
}
