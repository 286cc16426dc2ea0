// The Postgres and Redis of `npm start`: those of the environment, or else its own, which it restarts on the
// same port if they exit by themselves.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './postgres/postgres.ts'
import { startRedis } from './redis/redis.ts'
import type { Server } from './tools/servers.ts'
import { formatError, print, printError } from './tools/terminal.ts'

// Each process of Berth uses a handful; commands and psql come on top.
const POSTGRES_SETTINGS = { max_connections: '200' }
const RETRY_WAIT_MS = 2_000

/** Returns at once: the database can be prepared while Redis is still being downloaded. */
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
    // One may have failed to start while the other did. Postgres stops last.
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
    // A restart in progress creates another server, which must stop too.
    await supervised
    await server.stop()
  }
  return { url, stop }
}
