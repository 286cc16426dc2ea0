// The Postgres and Redis of `npm start`: those of the environment, or else its own.
import { join } from 'node:path'
import { startPostgres } from './postgres/postgres.ts'
import { startRedis } from './redis/redis.ts'
import type { Settings } from './tools/settings.ts'
import { type SupervisedServer, superviseServer } from './tools/supervise-server.ts'
import { print } from './tools/terminal.ts'

export type RunningServices = { databaseUrl: string; redisUrl: string; stop(): Promise<void> }

// Each process of Berth uses a handful; commands and psql come on top.
const CONNECTIONS_MAX = '200'

export async function startServices(settings: Settings): Promise<RunningServices> {
  announce(settings)
  const database = settings.databaseUrl ? external(settings.databaseUrl) : runPostgres(settings.directory)
  const redis = settings.redisUrl ? external(settings.redisUrl) : runRedis(settings.directory)
  const stop = async () => {
    // One may have failed to start while the other did.
    for (const service of await Promise.allSettled([redis, database])) {
      if (service.status === 'fulfilled') await service.value.stop()
    }
  }
  try {
    return { databaseUrl: (await database).url, redisUrl: (await redis).url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function announce(settings: Settings): void {
  const own = [settings.databaseUrl ? '' : 'PostgreSQL', settings.redisUrl ? '' : 'Redis'].filter(Boolean)
  if (own.length > 0) print(`Starting ${own.join(' and ')} …`)
}

async function external(url: string): Promise<SupervisedServer> {
  return { url, stop: async () => undefined }
}

function runPostgres(directory: string): Promise<SupervisedServer> {
  const options = { directory: join(directory, 'postgres'), settings: { max_connections: CONNECTIONS_MAX } }
  return superviseServer('PostgreSQL', (port) =>
    startPostgres(port === undefined ? options : { ...options, port }),
  )
}

function runRedis(directory: string): Promise<SupervisedServer> {
  const options = { directory: join(directory, 'redis') }
  return superviseServer('Redis', (port) => startRedis(port === undefined ? options : { ...options, port }))
}
