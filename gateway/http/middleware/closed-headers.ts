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

const HEADERS = Object.entries(CLOSED_HEADERS)

export const closedHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of HEADERS) ctx.res.setHeader(name, value)
  return next()
}
