// Sets headers that restrict every answer to its caller: no browser guesses its type, runs it or frames it,
// and no cache keeps it. Answers with other needs (the dashboard, the documents, the picture of a location)
// override them later.
import type { Middleware } from '../../services/context.ts'

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
