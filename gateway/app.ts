// The table of contents: the middleware in order, then every endpoint and page.
import Koa from 'koa'
import type { State } from './context.ts'
import { docsPages } from './docs/pages.ts'
import { healthPages } from './health.ts'
import { baseUrl, requireHost } from './middleware/base-url.ts'
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

export function createApp(services: Services): Koa<State> {
  // Of several forwarded addresses only the last one was written by our own proxy; the others come from the client.
  const app = new Koa<State>({ proxy: services.config.trustProxy, maxIpsCount: 1 })
  app.use(requestId(services))
  app.use(observe(services))
  app.use(baseUrl(services))
  app.use(crossOrigin(services))
  app.use(errors(services))
  app.use(requireHost)
  for (const step of createRoutes(endpoints, [...healthPages, ...docsPages(endpoints)], services))
    app.use(step)
  // What reaches this has no answer any more: a client that went away, or a connection that broke in a stream.
  app.on('error', (error: Error & { code?: string }) =>
    services.log.debug({ err: error }, 'A connection broke'),
  )
  return app
}
