// A whole Berth for a suite: a database and a Redis database of its own, a gateway, workers, and a way to ask it.
import type { Knex } from 'knex'
import { serve } from '../../gateway/server.ts'
import type { RunningProcess } from '../../shared/runtime/process.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { type Config, parseConfig } from '../../shared/settings/config.ts'
import { ABILITIES, type Ability, createToken } from '../../shared/tokens/token-store.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { work } from '../../workers/work.ts'
import { connectPatiently, createDatabase, withDatabaseName } from './databases.ts'
import { hooks } from './hooks.ts'
import { Client } from './http/http.ts'
import './replies.ts'
import { emptyRedis } from './redis.ts'
import { use, useWith } from './use.ts'

export type WorldOptions = {
  /** The queues that workers of this process listen to; none for a world without workers. */
  workers?: QueueName[]
  environment?: Record<string, string>
  /** A migrated database of another server than the run's; it is left as it is. */
  databaseUrl?: string
  /** What the gateway is told instead of the real addresses; a proxy's, say. */
  gateway?: { databaseUrl?: string; redisUrl?: string }
  /** The gateway's clock, to stand at midnight. */
  now?: () => number
  /** The clock of the workers' machine. */
  workersNow?: () => number
  /** Gets every line that its processes log, down to the least important. */
  onLog?: (line: string) => void
}

export type World = {
  url: string
  databaseUrl: string
  redisUrl: string
  config: Config
  database: Knex
  /** A client with a token of these abilities; all of them where none is named. */
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

/** The world of a suite; with `each`, one for each of its tests. Options that need what a hook makes come as a function. */
export function useWorld(options: (WorldOptions & { each?: boolean }) | (() => WorldOptions) = {}): World {
  const isLate = typeof options === 'function'
  const create = () => createWorld(isLate ? options() : options)
  return use(create, { close: (world) => world.close(), each: !isLate && options.each })
}

/** Its client, with a token of these abilities; all of them where none is named. */
export function useClient(world: World, ...abilities: Ability[]): Client {
  return useWith(world, () => world.client(...abilities))
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { databaseUrl, drop } = await (options.databaseUrl === undefined
    ? createDatabase()
    : { databaseUrl: options.databaseUrl, drop: () => undefined })
  const redis = await emptyRedis()
  const running: RunningProcess[] = []
  const environment = {
    DATABASE_URL: databaseUrl,
    ...givenReplica(databaseUrl),
    ...redis,
    PORT: '0',
    HOST: '127.0.0.1',
    LAME_DUCK_MS: '0',
    // Where the receivers of tests listen.
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
      const workers = await work(queues, configOf(changes), log('worker'), options.workersNow)
      running.push(workers)
      return workers
    },
    async close() {
      open.delete(world)
      await Promise.all(running.map((each) => each.stop()))
      // A transaction that a failed test has left open ends with its database: others would see it, in the feed of changes.
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

/** Of the server that was set up for the whole run, where it has one: see test/scale. */
function givenReplica(databaseUrl: string): Record<string, string> {
  const { TEST_REPLICA_URL: url } = process.env
  return url ? { DATABASE_READ_URL: withDatabaseName(url, new URL(databaseUrl).pathname.slice(1)) } : {}
}

function logLevel(): string {
  return process.env.TEST_LOG_LEVEL ?? 'silent'
}
