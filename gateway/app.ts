// Assembles the gateway: the middleware in order, then every endpoint and page.
import Koa from 'koa'
import { affectedBookings } from './api/affected-bookings/affected-bookings-routes.ts'
import { availability } from './api/availability/availability-routes.ts'
import { bookables } from './api/bookables/bookables-routes.ts'
import { bookingRequests } from './api/booking-requests/booking-requests-routes.ts'
import { bookings, series } from './api/bookings/bookings-routes.ts'
import { buildings } from './api/buildings/buildings-routes.ts'
import { calendars } from './api/calendars/calendars-routes.ts'
import { changes } from './api/changes/changes-routes.ts'
import { events } from './api/events/events-routes.ts'
import { groups } from './api/groups/groups-routes.ts'
import { jobs } from './api/jobs/jobs-routes.ts'
import { locations } from './api/locations/locations-routes.ts'
import { rules } from './api/rules/rules-routes.ts'
import { scimErrors } from './api/scim/scim-errors.ts'
import { scim } from './api/scim/scim-routes.ts'
import { deviceRoutes } from './api/tokens/device-flow.ts'
import { tokens } from './api/tokens/tokens-routes.ts'
import { users } from './api/users/users-routes.ts'
import { vehicles } from './api/users/vehicles-routes.ts'
import { webhooks } from './api/webhooks/webhooks-routes.ts'
import { announceSetup } from './dashboard/account/setup-links.ts'
import { healthRoutes } from './http/health.ts'
import { compress } from './http/middleware/compress.ts'
import { errors } from './http/middleware/errors.ts'
import { observe } from './http/middleware/observe.ts'
import { crossOrigin, requestContext, requireHost } from './http/middleware/request-context.ts'
import { createRoutes } from './http/router.ts'
import { mcpRoute } from './mcp/mcp-route.ts'
import { docsRoutes } from './openapi/docs-routes.ts'
import { redirectBrowsers } from './pages/kit/redirect-browsers.ts'
import { skipsCompression } from './pages/kit/security-headers.ts'
import { DASHBOARD, isBelow, isPagePath, MY, SCREENS, SITES } from './pages/kit/sessions/addresses.ts'
import type { Context, Middleware, State } from './services/context.ts'
import type { Services } from './services/services.ts'

export const endpoints = [
  ...users,
  ...vehicles,
  ...groups,
  ...buildings,
  ...locations,
  ...bookables,
  ...rules,
  ...affectedBookings,
  ...availability,
  ...bookings,
  ...bookingRequests,
  ...series,
  ...events,
  ...changes,
  ...webhooks,
  ...calendars,
  ...jobs,
  ...tokens,
]

// The error codes of a client that disconnects during its answer; any other error is a fault of ours.
const CLIENT_GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'])

export function createApp(services: Services) {
  // If a request has several forwarded addresses, only the last comes from our own proxy; the client sent the
  // others.
  const app = new Koa<State>({ proxy: services.config.trustProxy, maxIpsCount: 1 })
  app.use(requestContext(services))
  app.use(observe(services))
  app.use(crossOrigin(services, isPagePath))
  app.use(compress(skipsCompression))
  app.use(errors(services))
  app.use(requireHost)
  app.use(redirectBrowsers(services))
  for (const base of SITES)
    if (base !== MY || services.config.peoplePages) app.use(onDemand(base, () => LOADERS[base](services)))
  app.use(scimErrors(services))
  const documents = docsRoutes(endpoints, services.config.publicUrl)
  const plain = [...healthRoutes, ...deviceRoutes, ...documents, mcpRoute(endpoints, services)]
  app.use(createRoutes([...endpoints, ...scim], plain, services))
  app.on('error', (error: Error & { code?: string }, ctx?: Context) => {
    const level = CLIENT_GONE.has(error.code ?? '') ? 'debug' : 'error'
    services.log[level]({ err: error, requestId: ctx?.state.requestId }, 'the answer was interrupted')
  })
  return {
    listener: app.callback(),
    /** Logs how to create the first administrator while there is none. Returns a function that stops it. */
    announceSetup: (port: number) => announceSetup(services, port),
  }
}

// Pages are half of the gateway's code, so each site is loaded when a user first opens one of its pages.
function onDemand(base: string, load: () => Promise<Middleware>): Middleware {
  let loading: Promise<Middleware> | undefined
  const serve: Middleware = async (ctx, next) => {
    loading ??= load()
    const site = await loading
    return site(ctx, next)
  }
  return (ctx, next) => (isBelow(base, ctx.path) ? serve(ctx, next) : next())
}

const LOADERS: Record<(typeof SITES)[number], (services: Services) => Promise<Middleware>> = {
  [DASHBOARD]: loadDashboard,
  [MY]: loadPeoplePages,
  [SCREENS]: loadScreens,
}

async function loadDashboard(services: Services): Promise<Middleware> {
  const [{ servePages }, { dashboardOf }, { pages }, { apiPage }] = await Promise.all([
    import('./pages/site/serve-pages.ts'),
    import('./dashboard/dashboard.ts'),
    import('./dashboard/pages.ts'),
    import('./dashboard/api/api.ts'),
  ])
  return servePages(services, dashboardOf([...pages, apiPage(endpoints)], services.config))
}

async function loadPeoplePages(services: Services): Promise<Middleware> {
  const [{ servePages }, { peopleSite }] = await Promise.all([
    import('./pages/site/serve-pages.ts'),
    import('./people/people-site.ts'),
  ])
  return servePages(services, peopleSite)
}

async function loadScreens(services: Services): Promise<Middleware> {
  const { serveScreens } = await import('./screens/serve-screens.ts')
  return serveScreens(services)
}
