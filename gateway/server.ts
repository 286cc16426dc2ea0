// Runs the app on one listening HTTP server.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { RunningProcess } from '../shared/runtime/process.ts'
import type { Config } from '../shared/settings/config.ts'
import type { Log } from '../shared/utilities/log.ts'
import { createApp } from './app.ts'
import { ServerDrain } from './drain.ts'
import { answerBrokenHttp, cutUnreadAnswers } from './server/http/server-guards.ts'
import { openServices, type Services } from './server/services/services.ts'

// How long idle connections stay open. This is longer than the usual idle timeout of load balancers (60 s),
// which would otherwise use connections that were just closed.
const KEEP_ALIVE_TIMEOUT_MS = 75_000

// How many clients may wait to be accepted. A further client gets no answer, and its operating system retries
// after seconds. Linux allows at most this number by default.
const BACKLOG_CONNECTIONS_MAX = 4_096

type RunningServer = RunningProcess & { port: number }

/**
 * The server listens only after `warmUp` has ended, because routers of hosting platforms and the other processes of a cluster
 * never ask /readyz, and would send requests to a cold process.
 */
export async function serve(
  config: Config,
  log: Log,
  now?: () => number,
  warmUp?: (services: Services) => Promise<void>,
): Promise<RunningServer> {
  const services = openServices(config, log, now)
  const { listener, announceSetup } = createApp(services)
  // Accepts requests without a Host header, so that the app can refuse them with a proper error.
  const server = createServer({ requireHostHeader: false })
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  services.scheduler.serve(server, listener)
  answerBrokenHttp(server, config)
  cutUnreadAnswers(server, config.streamIdleMs)
  const drain = new ServerDrain(server)
  await services.queues.begin()
  await warmUp?.(services)
  const port = await listenOnPort(server, config).catch(async (error) => {
    await services.close()
    throw error
  })
  if (!config.gatewayDatabaseUrl) {
    log.warn(
      'GATEWAY_DATABASE_URL is not set: the gateway connects as a role that may write everything (see npm run grants)',
    )
  }
  log.info({ port, host: config.host }, 'listening')
  // If several processes share a port, only the first one announces the setup.
  const isFirst = !cluster.worker || cluster.worker.id === 1
  const stopAnnouncing = isFirst ? announceSetup(port) : () => undefined
  return {
    port,
    failed: services.failed,
    async stop() {
      stopAnnouncing()
      services.isStopping = true
      services.changePoller.stop()
      drain.begin()
      // Waits, because load balancers keep sending requests until they notice the shutdown.
      await wait(config.lameDuckMs)
      await drain.finish()
      await services.close()
    },
  }
}

async function listenOnPort(server: Server, { port, host }: Config): Promise<number> {
  await once(server.listen({ port, host, backlog: BACKLOG_CONNECTIONS_MAX }), 'listening')
  return (server.address() as AddressInfo).port
}
