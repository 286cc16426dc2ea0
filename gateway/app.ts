// The table of contents: the middleware in order, then every endpoint and page.
import Koa from 'koa'
import type { Context, State } from './context.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { apiPage } from './dashboard/pages/api.ts'
import { pages } from './dashboard/pages.ts'
import { docsPages } from './docs/pages.ts'
import { healthPages } from './health.ts'
import { baseUrl, requireHost } from './middleware/base-url.ts'
import { browserWays } from './middleware/browser-ways.ts'
import { crossOrigin } from './middleware/cross-origin.ts'
import { errors } from './middleware/errors.ts'
import { observe } from './middleware/observe.ts'
import { requestId } from './middleware/request-id.ts'
import { createRoutes } from './router.ts'
import { bookables } from './routes/bookables.ts'
import { bookings } from './routes/bookings.ts'
import { buildings } from './routes/buildings.ts'
import { events } from './routes/events.ts'
import { groups } from './routes/groups.ts'
import { jobs } from './routes/jobs.ts'
import { locations } from './routes/locations.ts'
import { users } from './routes/users.ts'
import type { Services } from './services.ts'

export const endpoints = [
  ...users,
  ...groups,
  ...buildings,
  ...locations,
  ...bookables,
  ...bookings,
  ...events,
  ...jobs,
]

// What breaks off an answer that has begun already; anything else is a failure of ours.
const CLIENT_GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'])

export function createApp(services: Services): Koa<State> {
  // Of several forwarded addresses only the last one was written by our own proxy; the others come from the client.
  const app = new Koa<State>({ proxy: services.config.trustProxy, maxIpsCount: 1 })
  app.use(requestId(services))
  app.use(observe(services))
  app.use(baseUrl(services))
  app.use(crossOrigin(services))
  app.use(errors(services))
  app.use(requireHost)
  app.use(browserWays(services))
  app.use(dashboard(services, [...pages, apiPage(endpoints)]))
  for (const step of createRoutes(endpoints, [...healthPages, ...docsPages(endpoints)], services))
    app.use(step)
  app.on('error', (error: Error & { code?: string }, ctx?: Context) => {
    const level = CLIENT_GONE.has(error.code ?? '') ? 'debug' : 'error'
    services.log[level]({ err: error, requestId: ctx?.state.requestId }, 'An answer broke off')
  })
  return app
}
