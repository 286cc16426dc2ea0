// Assembles the gateway: the middleware in order, then every endpoint and page.
import Koa from 'koa'
import { mcpRoute } from './api/mcp/mcp-route.ts'
import { docsRoutes } from './api/openapi/docs-routes.ts'
import { affectedBookings } from './api/rest/affected-bookings/affected-bookings-routes.ts'
import { availability } from './api/rest/availability/availability-routes.ts'
import { bookables } from './api/rest/bookables/bookables-routes.ts'
import { bookingRequests } from './api/rest/booking-requests/booking-requests-routes.ts'
import { bookings, series } from './api/rest/bookings/bookings-routes.ts'
import { buildings } from './api/rest/buildings/buildings-routes.ts'
import { calendars } from './api/rest/calendars/calendars-routes.ts'
import { changes } from './api/rest/changes/changes-routes.ts'
import { events } from './api/rest/events/events-routes.ts'
import { groups } from './api/rest/groups/groups-routes.ts'
import { jobs } from './api/rest/jobs/jobs-routes.ts'
import { locations } from './api/rest/locations/locations-routes.ts'
import { rules } from './api/rest/rules/rules-routes.ts'
import { deviceRoutes } from './api/rest/tokens/device-flow.ts'
import { tokens } from './api/rest/tokens/tokens-routes.ts'
import { users } from './api/rest/users/users-routes.ts'
import { vehicles } from './api/rest/users/vehicles-routes.ts'
import { webhooks } from './api/rest/webhooks/webhooks-routes.ts'
import { scimErrors } from './api/scim/scim-errors.ts'
import { scim } from './api/scim/scim-routes.ts'
import { healthRoutes } from './server/http/health.ts'
import { compress } from './server/http/middleware/compress.ts'
import { errors } from './server/http/middleware/errors.ts'
import { observe } from './server/http/middleware/observe.ts'
import { crossOrigin, requestContext, requireHost } from './server/http/middleware/request-context.ts'
import { createRoutes } from './server/http/router.ts'
import type { Context, Middleware, State } from './server/services/context.ts'
import type { Services } from './server/services/services.ts'
import { announceSetup } from './web/admin/account/setup-links.ts'
import { redirectBrowsers } from './web/pages/page/redirect-browsers.ts'
import { skipsCompression } from './web/pages/page/security-headers.ts'
import { DASHBOARD, isBelow, isPagePath, MY, SCREENS, SITES } from './web/sessions/addresses.ts'

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
    import('./web/pages/site/serve-pages.ts'),
    import('./web/admin/dashboard.ts'),
    import('./web/admin/pages.ts'),
    import('./web/admin/api/api.ts'),
  ])
  return servePages(services, dashboardOf([...pages, apiPage(endpoints)], services.config))
}

async function loadPeoplePages(services: Services): Promise<Middleware> {
  const [{ servePages }, { peopleSite }] = await Promise.all([
    import('./web/pages/site/serve-pages.ts'),
    import('./web/my/people-site.ts'),
  ])
  return servePages(services, peopleSite)
}

async function loadScreens(services: Services): Promise<Middleware> {
  const { serveScreens } = await import('./web/screens/serve-screens.ts')
  return serveScreens(services)
}
