// Helpers for tests of the write pipeline: envelopes like those of the gateway, the dependencies of a worker, and a
// gateway or workers that reach Postgres and Redis through proxies.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import { connectDatabase } from '../../../shared/database/database.ts'
import { isSameDatabase } from '../../../shared/identity/identity.ts'
import { getReplyChannel, REPLIES_PART, type RedisKeys } from '../../../shared/identity/keys.ts'
import type { Envelope, ReplyMessage } from '../../../shared/jobs/jobs.ts'
import type { RedisSettings } from '../../../shared/redis/address.ts'
import { openQueue } from '../../../shared/runtime/queues.ts'
import type { QueueName } from '../../../shared/schemas/job.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import type { AttemptTools } from '../../../workers/runtime/attempts.ts'
import { IDENTITY, KEYS } from '../databases.ts'
import { createDesk, hoursFromNow } from '../factories.ts'
import { Client } from '../http/http.ts'
import { openRedis } from '../redis.ts'
import { eventually } from '../time.ts'
import { useWith } from '../use.ts'
import { createWorld, type World, type WorldOptions } from '../world.ts'
import { startProxy, type TcpProxy } from './proxy.ts'

const silent = createLog('test', 'silent')

export type NewBooking = {
  bookable_id: number
  location_id: number
  user_id: number
  from_time: string
  to_time: string
}

/** Creates a desk, and returns the body of a booking there that succeeds with 200. */
export async function createSlot(world: World): Promise<NewBooking> {
  const desk = await createDesk(world.database)
  return { ...desk, from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
}

export function countBookings(world: World, { bookable_id }: { bookable_id: number }): Promise<number> {
  return world
    .database('bookings')
    .where({ bookable_id })
    .then((rows) => rows.length)
}

/** Counts connections to the database of the world that wait for a lock. */
export async function countLockWaits({ database }: World): Promise<number> {
  const { rows } = await database.raw(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows.length
}

export function createEnvelope<Input>(input: Input, changes: Partial<Envelope> = {}): Envelope<Input> {
  return {
    attempt: randomUUID(),
    database: IDENTITY,
    actor: { type: 'token', id: 1, name: 'test' },
    requestId: 'request-1',
    baseUrl: 'http://127.0.0.1',
    receivedAt: new Date().toISOString().replace('Z', '000Z'),
    deadlineMs: Date.now() + 10_000,
    replyTo: null,
    idempotency: null,
    ...changes,
    input,
  }
}

/** The database identity of a worker. */
export const ownIdentity: AttemptTools['identity'] = {
  database: IDENTITY,
  isOwn: (database) => isSameDatabase(database, IDENTITY),
}

/** Returns the dependencies of a worker for a queue, so that tests can call `run` directly. */
function openWorkerTools(
  world: World,
  name: QueueName = 'writes',
): AttemptTools & { close(): Promise<void> } {
  const database = connectDatabase(world.databaseUrl, { connectionsMax: 20, pipeline: name === 'writes' })
  const redis = openRedis(world.config, { part: name })
  const queue = openQueue(name, redis, KEYS)
  return {
    database,
    redis,
    log: silent,
    outcomeLog: silent,
    clock: { now: Date.now, compared: Promise.resolve() },
    identity: ownIdentity,
    queueAlone: (attempt) => queue.add(attempt.name, attempt.data, { jobId: attempt.id }),
    async close() {
      await queue.close()
      redis.disconnect()
      await database.destroy()
    },
  }
}

export const openWrites = (world: World) => openQueueOf(world, 'writes')

export const useTools = (world: World, name?: QueueName) =>
  useWith(world, () => openWorkerTools(world, name), closeIt)

export const useWrites = (world: World) => useWith(world, () => openWrites(world), closeIt)

const closeIt = (opened: { close(): Promise<void> }) => opened.close()

/** Opens a queue as anyone with access to Redis can use it. */
export function openQueueOf(
  world: { config: RedisSettings },
  name: QueueName,
  keys: RedisKeys = KEYS,
): { queue: Queue; close(): Promise<void> } {
  const redis = openRedis(world.config, { part: name })
  const queue = openQueue(name, redis, keys)
  return {
    queue,
    async close() {
      await queue.close()
      redis.disconnect()
    },
  }
}

/** Listens to reply channels as gateways with these names would. */
export async function listenAsGateways(world: World, names: string[]) {
  const redis = openRedis(world.config, { part: REPLIES_PART })
  const channels = names.map((name) => getReplyChannel(KEYS.prefix, name))
  const replies = new Map<string, ReplyMessage[]>(channels.map((channel) => [channel, []]))
  redis.on('smessage', (channel: string, text: string) => replies.get(channel)?.push(...JSON.parse(text)))
  for (const channel of channels) await redis.ssubscribe(channel)
  return {
    channels,
    /** Returns the replies to each gateway so far. */
    read: () => channels.map((channel) => replies.get(channel) ?? []),
    close: () => redis.disconnect(),
  }
}

/** Returns the ids of the transactions that stored the receipts of the attempts. */
export async function findTransactions({ database }: World, attempts: Envelope[]): Promise<string[]> {
  const ids = attempts.map(({ attempt }) => attempt)
  const { rows } = await database.raw(
    'SELECT attempt, xmin::text AS transaction FROM receipts WHERE attempt = ANY(?)',
    [ids],
  )
  const found = new Map(
    rows.map((row: { attempt: string; transaction: string }) => [row.attempt, row.transaction]),
  )
  return ids.map((id) => String(found.get(id)))
}

export type Proxies = { postgres: TcpProxy; redis: TcpProxy; environment: Record<string, string> }

export async function startProxies(world: Pick<World, 'databaseUrl' | 'redisUrl'>): Promise<Proxies> {
  const [postgres, redis] = await Promise.all([startProxy(world.databaseUrl), startProxy(world.redisUrl)])
  return { postgres, redis, environment: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } }
}

/** Returns a client of a gateway with its own proxies. */
export async function startProxiedGateway(
  world: World,
  environment: Record<string, string> = {},
): Promise<Proxies & { client: Client }> {
  const proxies = await startProxies(world)
  const { url } = await world.startGateway({ ...proxies.environment, ...environment })
  const { token } = await world.client()
  return { ...proxies, client: new Client(url, token) }
}

/** Starts workers with their own proxies. `prepare` may cut the proxies before the workers start. */
export async function startProxiedWorkers(
  world: World,
  prepare?: (proxies: Proxies) => Promise<void>,
): Promise<Proxies> {
  const proxies = await startProxies(world)
  await prepare?.(proxies)
  await world.startWorkers(['writes'], proxies.environment)
  return proxies
}

type ProxiedWorld = {
  world: World
  gateway: Proxies & { client: Client }
  workers: Proxies
  client: Client
}

/**
 * Runs a test in a world whose gateway and workers reach Postgres and Redis through proxies, and closes the world
 * afterwards.
 */
export async function withProxiedWorld(
  environment: Record<string, string>,
  work: (proxied: ProxiedWorld) => Promise<void>,
  options: Pick<WorldOptions, 'onLog'> = {},
): Promise<void> {
  // The observer sends ten requests per second, so the rate limit must be high.
  const settings = { RATE_LIMIT_PER_MINUTE: '1000000', ...environment }
  const world = await createWorld({ ...options, workers: [], environment: settings })
  const gateway = await startProxiedGateway(world)
  const workers = await startProxiedWorkers(world)
  const proxies = [gateway.postgres, gateway.redis, workers.postgres, workers.redis]
  try {
    await warmUp(world, gateway.client)
    await work({ world, gateway, workers, client: gateway.client })
  } finally {
    // Ends the outage even after a failed test, because closing the world would otherwise wait forever.
    await Promise.all(proxies.map((proxy) => proxy.restore()))
    await world.close()
    await Promise.all(proxies.map((proxy) => proxy.close()))
  }
}

// Waits until a write is answered, because all connections exist then.
async function warmUp(world: World, { url }: Client): Promise<void> {
  const { token } = await world.client()
  const slot = await createSlot(world)
  await eventually(async () => {
    const { status, text } = await new Client(url, token).post('bookings', slot)
    if (![200, 409].includes(status)) throw new Error(text)
  })
}
