// Warms up a gateway before it listens: sends typical requests to a second app in the same process. This opens connections,
// prepares statements and lets V8 compile the code. Otherwise the first callers would wait for this. The second app shares the
// connections of the process, but not its metrics and log, and it queues nothing.
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getOnlyRow } from '../shared/database/database.ts'
import { ABILITIES, generateToken } from '../shared/tokens/token-store.ts'
import { withTimeout } from '../shared/utilities/timeouts.ts'
import { createApp } from './app.ts'
import type { Services } from './server/services/services.ts'

const WARM_UP_MS_MAX = 500
const TIMEOUT_MS = 1_000
const REQUESTS_MAX = 120
const CALLERS_MAX = 8
const HOUR_MS = 3_600_000
// Keeps the requests out of traces, unless OTEL_TRACES_SAMPLER ignores the parent.
const UNSAMPLED = `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`
// If there is no user or location yet, the requests get a 404.
const IDS_SQL = `
  SELECT coalesce((SELECT id FROM users WHERE deactivated_at IS NULL ORDER BY id LIMIT 1), 1) AS user,
    coalesce((SELECT id FROM locations ORDER BY id LIMIT 1), 1) AS location`

/** Never throws an error. If something is wrong, /readyz and the first requests show it. */
export async function warmUpGateway(services: Services): Promise<void> {
  const endMs = performance.now() + WARM_UP_MS_MAX
  const secret = generateToken()
  const { listener } = createApp(createUnobservedServices(services, secret))
  const server = createServer((sent, response) => {
    // Any program on this machine can connect to the port.
    if (sent.headers.authorization === `Bearer ${secret}`) listener(sent, response)
    else sent.destroy()
  })
  const agent = new Agent({ keepAlive: true })
  let answered = 0
  const callAgainAndAgain = async (requests: WarmUpRequest[]) => {
    const { port } = server.address() as AddressInfo
    while (answered < REQUESTS_MAX && performance.now() < endMs) {
      await services.tokens.find(secret, { fresh: true })
      for (const each of requests) {
        await send(each, { port, agent, secret })
        answered++
      }
    }
  }
  try {
    // Without `exclusive`, the processes of a cluster would share the port.
    await once(server.listen({ port: 0, host: '127.0.0.1', exclusive: true }), 'listening')
    const callers = Array.from({ length: Math.min(CALLERS_MAX, services.config.databaseConnectionsMax) })
    const all = listRequests(services).then((requests) =>
      Promise.all(callers.map(() => callAgainAndAgain(requests))),
    )
    await withTimeout(all, TIMEOUT_MS, () => [])
    services.log.debug({ answered }, 'warmed up')
  } catch (error) {
    services.log.info({ err: error }, 'the warm-up failed: the first requests take longer')
  } finally {
    agent.destroy()
    server.close()
  }
}

/** Replaces all services that record requests or queue jobs. */
function createUnobservedServices(services: Services, secret: string): Services {
  const unlimited = { rateLimitPerMinute: null, addresses: null, buildingIds: null, userId: null }
  const token = { id: 0, name: 'warm-up', abilities: ABILITIES, ...unlimited }
  const find = (sent: string) => (sent === secret ? token : undefined)
  const doNothing = () => undefined
  const unobserved = {
    log: services.log.child({}, { level: 'silent' }),
    metrics: { observeRequest: doNothing, countLimited: doNothing },
    refusals: { note: doNothing },
    requestLog: { record: doNothing },
    tokens: { findRecent: find, findKnown: find, find: async (sent: string) => find(sent) },
    tokenUse: { record: doNothing },
    rateLimiter: { take: () => ({ allowed: true, limit: 1, remaining: 1, resetSeconds: 1 }) },
    dispatcher: { dispatch: async () => ({ status: 200, body: '{"data":[]}' }) },
  }
  // TypeScript needs the cast, because services are classes with private members. The requests use only the members above.
  return { ...services, ...(unobserved as unknown as Partial<Services>) }
}

type WarmUpRequest = { path: string; body?: string }

async function listRequests({ reserved }: Services): Promise<WarmUpRequest[]> {
  const { rows } = await reserved.operations.query<{ user: number; location: number }>(IDS_SQL)
  const { user: user_id, location: location_id } = getOnlyRow(rows)
  const [from_time, to_time] = [1, 2].map((hours) => new Date(Date.now() + hours * HOUR_MS).toISOString())
  const range = `from=${from_time}&to=${to_time}`
  return [
    { path: `users/${user_id}` },
    { path: `bookings?${range}&limit=20` },
    { path: `locations/${location_id}/bookings?${range}` },
    { path: `locations/${location_id}/bookables/occupancy?details=true` },
    { path: `availability?location_id=${location_id}&${range}&limit=20` },
    { path: 'bookings', body: JSON.stringify({ bookable_id: 1, location_id, user_id, from_time, to_time }) },
  ]
}

type Connection = { port: number; agent: Agent; secret: string }

async function send({ path, body }: WarmUpRequest, { port, agent, secret }: Connection): Promise<void> {
  const type = body && { 'Content-Type': 'application/json' }
  const sent = request({
    port,
    agent,
    host: '127.0.0.1',
    path: `/api/v1/${path}`,
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${secret}`, traceparent: UNSAMPLED, ...type },
  })
  const [response] = await once(sent.end(body), 'response')
  await once(response.resume(), 'end')
  if (response.statusCode >= 500) throw new Error(`The gateway answered ${path} with ${response.statusCode}`)
}
