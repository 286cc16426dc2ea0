// Assembles the gateway: the middleware in order, and then every endpoint and page.
import Koa from 'koa'
import { createMcpRoute } from './api/mcp/mcp-route.ts'
import { createDocsRoutes } from './api/openapi/docs-routes.ts'
import { absenceEndpoints } from './api/rest/absences/absences-routes.ts'
import { affectedBookingEndpoints } from './api/rest/affected-bookings/affected-bookings-routes.ts'
import { availabilityEndpoints } from './api/rest/availability/availability-routes.ts'
import { bookableEndpoints } from './api/rest/bookables/bookables-routes.ts'
import { bookingRequestEndpoints } from './api/rest/booking-requests/booking-requests-routes.ts'
import { bookingEndpoints, seriesEndpoints } from './api/rest/bookings/bookings-routes.ts'
import { buildingEndpoints } from './api/rest/buildings/buildings-routes.ts'
import { calendarEndpoints } from './api/rest/calendars/calendars-routes.ts'
import { changeEndpoints } from './api/rest/changes/changes-routes.ts'
import { eventEndpoints } from './api/rest/events/events-routes.ts'
import { groupEndpoints } from './api/rest/groups/groups-routes.ts'
import { teamDayEndpoints } from './api/rest/groups/team-days-routes.ts'
import { jobEndpoints } from './api/rest/jobs/jobs-routes.ts'
import { loanEndpoints } from './api/rest/loans/loans-routes.ts'
import { locationEndpoints } from './api/rest/locations/locations-routes.ts'
import { createNotificationRoutes } from './api/rest/room-calendars/notification-routes.ts'
import { roomCalendarEndpoints } from './api/rest/room-calendars/room-calendars-routes.ts'
import { ruleEndpoints } from './api/rest/rules/rules-routes.ts'
import { deviceRoutes } from './api/rest/tokens/device-flow.ts'
import { tokenEndpoints } from './api/rest/tokens/tokens-routes.ts'
import { userEndpoints } from './api/rest/users/users-routes.ts'
import { vehicleEndpoints } from './api/rest/users/vehicles-routes.ts'
import { webhookEndpoints } from './api/rest/webhooks/webhooks-routes.ts'
import { handleScimErrors } from './api/scim/scim-errors.ts'
import { scimEndpoints } from './api/scim/scim-routes.ts'
import { healthRoutes } from './server/http/health.ts'
import { compressResponses } from './server/http/middleware/compress.ts'
import { answerErrors } from './server/http/middleware/errors.ts'
import { observeRequests } from './server/http/middleware/observe.ts'
import {
  allowCrossOrigin,
  createRequestContext,
  requireHost,
} from './server/http/middleware/request-context.ts'
import { createRoutes } from './server/http/router.ts'
import type { Context, Middleware, State } from './server/services/context.ts'
import type { Services } from './server/services/services.ts'
import { logSetupLink } from './web/admin/account/setup-links.ts'
import { redirectBrowsers } from './web/pages/page/redirect-browsers.ts'
import { skipsCompression } from './web/pages/page/security-headers.ts'
import {
  DASHBOARD_PATH,
  isBelow,
  isPagePath,
  MY_PAGES_PATH,
  SCREENS,
  SITE_PATHS,
} from './web/sessions/addresses.ts'

export const endpoints = [
  ...userEndpoints,
  ...vehicleEndpoints,
  ...absenceEndpoints,
  ...groupEndpoints,
  ...teamDayEndpoints,
  ...buildingEndpoints,
  ...locationEndpoints,
  ...bookableEndpoints,
  ...loanEndpoints,
  ...roomCalendarEndpoints,
  ...ruleEndpoints,
  ...affectedBookingEndpoints,
  ...availabilityEndpoints,
  ...bookingEndpoints,
  ...bookingRequestEndpoints,
  ...seriesEndpoints,
  ...eventEndpoints,
  ...changeEndpoints,
  ...webhookEndpoints,
  ...calendarEndpoints,
  ...jobEndpoints,
  ...tokenEndpoints,
]

// The error codes of a client that disconnects during its response. Any other error is a bug of ours.
const CLIENT_GONE_CODES = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'])

export function createApp(services: Services) {
  // If a request has several forwarded addresses, only the last one is from Berth's own proxy; the client
  // could have sent the others.
  const app = new Koa<State>({ proxy: services.config.trustProxy, maxIpsCount: 1 })
  app.use(createRequestContext(services))
  app.use(observeRequests(services))
  app.use(allowCrossOrigin(services, isPagePath))
  app.use(compressResponses(skipsCompression))
  app.use(answerErrors(services))
  app.use(requireHost)
  app.use(redirectBrowsers(services))
  for (const base of SITE_PATHS)
    if (base !== MY_PAGES_PATH || services.config.peoplePages)
      app.use(loadOnDemand(base, () => SITE_LOADERS[base](services)))
  app.use(handleScimErrors(services))
  const documents = createDocsRoutes(endpoints, services.config.publicUrl)
  const notifications = createNotificationRoutes(services)
  const plain = [
    ...healthRoutes,
    ...deviceRoutes,
    ...documents,
    ...notifications,
    createMcpRoute(endpoints, services),
  ]
  app.use(createRoutes([...endpoints, ...scimEndpoints], plain, services))
  app.on('error', (error: Error & { code?: string }, ctx?: Context) => {
    const level = CLIENT_GONE_CODES.has(error.code ?? '') ? 'debug' : 'error'
    services.log[level]({ err: error, requestId: ctx?.state.requestId }, 'the answer was interrupted')
  })
  return {
    listener: app.callback(),
    /** While there is no administrator, logs how to create the first one. Returns a function that stops this
     * log message. */
    announceSetup: (port: number) => logSetupLink(services, port),
  }
}

// Loads each site when somebody first opens one of its pages, because pages make up half of the gateway's
// code.
function loadOnDemand(base: string, load: () => Promise<Middleware>): Middleware {
  let loading: Promise<Middleware> | undefined
  const serve: Middleware = async (ctx, next) => {
    loading ??= load()
    const site = await loading
    return site(ctx, next)
  }
  return (ctx, next) => (isBelow(base, ctx.path) ? serve(ctx, next) : next())
}

const SITE_LOADERS: Record<(typeof SITE_PATHS)[number], (services: Services) => Promise<Middleware>> = {
  [DASHBOARD_PATH]: loadDashboard,
  [MY_PAGES_PATH]: loadPeoplePages,
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
