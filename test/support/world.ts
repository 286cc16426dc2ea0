// Creates a complete Berth for a suite, with its own database and Redis database, a gateway, workers and
// clients.
import type { Knex } from 'knex'
import { serve } from '../../gateway/server.ts'
import type { RunningProcess } from '../../shared/runtime/process.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { type Config, parseConfig } from '../../shared/settings/config.ts'
import { ABILITIES, type Ability, createToken } from '../../shared/tokens/token-store.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { startWorker } from '../../workers/work.ts'
import { connectPatiently, createDatabase, withDatabaseName } from './databases.ts'
import { hooks } from './hooks.ts'
import { Client } from './http/http.ts'
import './replies.ts'
import { provideEmptyRedis } from './redis.ts'
import { use, useWith } from './use.ts'

export type WorldOptions = {
  /** The queues for which the test process runs workers. Empty for a world without workers. */
  workers?: QueueName[]
  environment?: Record<string, string>
  /** The URL of an already migrated database on another server. The world neither migrates nor drops this database. */
  databaseUrl?: string
  /** URLs for the gateway instead of the real ones, for example the URLs of a proxy. */
  gateway?: { databaseUrl?: string; redisUrl?: string }
  /** The gateway's clock, for tests that need a certain time. */
  now?: () => number
  /** The clock of the workers' machine. */
  workersNow?: () => number
  /** Receives every log line of its processes, at all levels. */
  onLog?: (line: string) => void
}

export type World = {
  url: string
  databaseUrl: string
  redisUrl: string
  config: Config
  database: Knex
  /** Returns a client whose token has the given abilities, or all abilities by default. */
  client(...abilities: Ability[]): Promise<Client>
  startGateway(
    environment?: Record<string, string>,
    now?: () => number,
  ): Promise<RunningProcess & { url: string }>
  startWorkers(queues?: QueueName[], environment?: Record<string, string>): Promise<RunningProcess>
  close(): Promise<void>
}

const DESTROY_MS_MAX = 10_000

const open = new Set<World>()

/**
 * Creates a world for a suite or, with `each`, for each of its tests. Options that depend on a hook are passed as a
 * function.
 */
export function useWorld(options: (WorldOptions & { each?: boolean }) | (() => WorldOptions) = {}): World {
  const isLate = typeof options === 'function'
  const create = () => createWorld(isLate ? options() : options)
  return use(create, { close: (world) => world.close(), each: !isLate && options.each })
}

/** Returns a client of the world whose token has the given abilities, or all abilities by default. */
export function useClient(world: World, ...abilities: Ability[]): Client {
  return useWith(world, () => world.client(...abilities))
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { databaseUrl, drop } = await (options.databaseUrl === undefined
    ? createDatabase()
    : { databaseUrl: options.databaseUrl, drop: () => undefined })
  const redis = await provideEmptyRedis()
  const running: RunningProcess[] = []
  const environment = {
    DATABASE_URL: databaseUrl,
    ...readReplicaSettings(databaseUrl),
    ...redis,
    PORT: '0',
    HOST: '127.0.0.1',
    LAME_DUCK_MS: '0',
    // The webhook receivers of the tests listen on 127.0.0.1.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
    PEOPLE_PAGES: 'on',
  }
  const configOf = (changes: Record<string, string> = {}) =>
    parseConfig({ ...environment, LOG_LEVEL: logLevel(), ...options.environment, ...changes })
  const config = configOf()
  const database = connectPatiently(databaseUrl)
  const { onLog } = options
  const log = (name: string) =>
    onLog ? createLog(name, 'trace', { write: onLog }) : createLog(name, config.logLevel)

  const world: World = {
    url: '',
    databaseUrl,
    redisUrl: config.redisUrl,
    config,
    database,
    async client(...abilities) {
      const chosen = abilities.length > 0 ? abilities : [...ABILITIES]
      const { token } = await createToken(database, { name: 'test', abilities: chosen, createdBy: 'test' })
      return new Client(world.url, token)
    },
    async startGateway(changes, now = options.now) {
      const gateway = await serve(configOf(changes), log('gateway'), now)
      running.push(gateway)
      return { ...gateway, url: `http://127.0.0.1:${gateway.port}` }
    },
    async startWorkers(queues = [...QUEUES], changes) {
      const workers = await startWorker(queues, configOf(changes), log('worker'), options.workersNow)
      running.push(workers)
      return workers
    },
    async close() {
      open.delete(world)
      await Promise.all(running.map((each) => each.stop()))
      // Ends with its database any transaction that a failed test left open, because it would delay the change feed of
      // other worlds.
      await withTimeout(database.destroy(), DESTROY_MS_MAX, () => undefined)
      await drop()
    },
  }
  open.add(world)
  const { url } = await world.startGateway({
    ...(options.gateway?.databaseUrl ? { DATABASE_URL: options.gateway.databaseUrl } : {}),
    ...(options.gateway?.redisUrl ? { REDIS_URL: options.gateway.redisUrl } : {}),
  })
  world.url = url
  const queues = options.workers ?? ['writes']
  if (queues.length > 0) await world.startWorkers(queues)
  return world
}

hooks.afterFile.worlds = () => Promise.all([...open].map((world) => world.close()))

/** Returns the settings of the replica, if the server was set up for the whole run and has one (see test/scale). */
function readReplicaSettings(databaseUrl: string): Record<string, string> {
  const { TEST_REPLICA_URL: url } = process.env
  return url ? { DATABASE_READ_URL: withDatabaseName(url, new URL(databaseUrl).pathname.slice(1)) } : {}
}

function logLevel(): string {
  return process.env.TEST_LOG_LEVEL ?? 'silent'
}
