// Provides the Postgres and Redis of `npm start`: those that the environment names, or its own servers, which it
// restarts on the same port if they exit unexpectedly.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './postgres/postgres.ts'
import { startRedis } from './redis/redis.ts'
import type { Server } from './tools/servers.ts'
import { formatError, print, printError } from './tools/terminal.ts'

// Enough connections for the processes of Berth, each of which uses a handful, and for commands and psql.
const POSTGRES_SETTINGS = { max_connections: '200' }
const RETRY_WAIT_MS = 2_000

/**
 * Starts the services. Returns immediately, so that the database can be prepared while Redis is still being downloaded.
 */
export function startServices(settings: {
  directory: string
  databaseUrl?: string | undefined
  redisUrl?: string | undefined
}) {
  const folder = (name: string) => join(settings.directory, name)
  const own = [settings.databaseUrl ? '' : 'PostgreSQL', settings.redisUrl ? '' : 'Redis'].filter(Boolean)
  if (own.length > 0) print(`Starting ${own.join(' and ')} …`)
  const services = [
    startService('PostgreSQL', settings.databaseUrl, (port) =>
      startPostgres({ directory: folder('postgres'), settings: POSTGRES_SETTINGS, port }),
    ),
    startService('Redis', settings.redisUrl, (port) => startRedis({ directory: folder('redis'), port })),
  ] as const
  const stop = async () => {
    // Stops the services that have started, because only one may have. Postgres stops last.
    for (const service of (await Promise.allSettled(services)).reverse())
      if (service.status === 'fulfilled') await service.value.stop()
  }
  const [database, redis] = services
  return { databaseUrl: database.then(({ url }) => url), redisUrl: redis.then(({ url }) => url), stop }
}

async function startService(
  name: string,
  given: string | undefined,
  start: (port?: number) => Promise<Server>,
) {
  if (given) return { url: given, stop: async () => undefined }
  let server = await start()
  const { url, port } = server
  const stopping = new AbortController()

  const supervise = async () => {
    while (!stopping.signal.aborted) {
      await server.ended
      if (stopping.signal.aborted) return
      print(`${name} exited unexpectedly; restarting it.`)
      await restart()
    }
  }
  const restart = async (): Promise<void> => {
    try {
      server = await start(port)
    } catch (error) {
      printError(formatError(error))
      await sleep(RETRY_WAIT_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) return restart()
    }
  }

  const supervised = supervise()
  const stop = async () => {
    stopping.abort()
    await server.stop()
    // Waits for a restart in progress, which creates another server that must stop too.
    await supervised
    await server.stop()
  }
  return { url, stop }
}
