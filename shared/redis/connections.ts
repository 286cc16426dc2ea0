// A process's connections to Redis, by purpose. With a single server, all purposes share one connection. In a cluster,
// each purpose has a connection of its own to the master that holds the keys.
import { Redis, type RedisOptions } from 'ioredis'
import { getHashTag, type RedisPart } from '../identity/keys.ts'
import type { Log } from '../utilities/log.ts'
import { parseRedisAddress, type RedisSettings } from './address.ts'
import { createConnectorClass, MasterFinder } from './masters.ts'

type RedisConnectionSettings = RedisSettings & { redisPrefix: string }

export class RedisConnections {
  readonly #open = new Map<RedisPart, Redis>()
  readonly #connect: (part: RedisPart) => Redis
  readonly #isCluster: boolean

  /** `fail` is called if these settings can never work. */
  constructor(
    settings: RedisConnectionSettings,
    kind: ConnectionKind,
    log: Log,
    fail?: (error: Error) => void,
  ) {
    this.#isCluster = parseRedisAddress(settings).kind === 'cluster'
    this.#connect = (part) => {
      const key = getHashTag(settings.redisPrefix, part)
      return connectRedis(settings, kind, this.#isCluster ? log.child({ part }) : log, { key, fail })
    }
  }

  get(part: RedisPart): Redis {
    const place = this.#isCluster ? part : 'shared'
    const redis = this.#open.get(place) ?? this.#connect(place)
    this.#open.set(place, redis)
    return redis
  }

  /** The open connections to Redis, by purpose. */
  get all(): ReadonlyMap<RedisPart, Redis> {
    return this.#open
  }

  /** Whether the connection for this part responds. Without `part`, checks all open connections. */
  isResponding(part?: RedisPart): boolean {
    if (part) return isRedisResponding(this.get(part))
    return [...this.#open.values()].every(isRedisResponding)
  }

  /** Waits until the open connections to Redis are ready. */
  async ready(): Promise<void> {
    await Promise.all([...this.#open.values()].map(waitUntilReady))
  }

  disconnect() {
    for (const redis of this.#open.values()) redis.disconnect()
  }
}

async function waitUntilReady(redis: Redis): Promise<void> {
  if (!isRedisReady(redis)) await new Promise<void>((resolve) => redis.once('ready', () => resolve()))
}

const OPTIONS_BY_KIND = {
  // With the default options of ioredis, adding a job during an outage would hang, and succeed long after its caller
  // was refused.
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
  persistent: { maxRetriesPerRequest: null },
} satisfies Record<string, RedisOptions>

export type ConnectionKind = keyof typeof OPTIONS_BY_KIND

// When the machine of Redis crashes, this process gets no notice, and TCP waits 15 minutes for a response. So this
// process pings, and closes and reopens a connection with this many unanswered pings. The limit is a number of pings
// and not a time: a process that was itself suspended has responses that it has not read yet. While nothing else is
// sent, every second ping is skipped.
const PING_INTERVAL_MS = 500
const QUIET_CHECKS_MAX = 2
const UNANSWERED_PINGS_MAX = 6
// The number of unanswered pings from which a connection is not used for new commands.
const UNANSWERED_PINGS_USABLE_MAX = 4
// The limit on unanswered pings of a connection that is still opening. The limit is lower, because a slow attempt would
// delay the next one, which succeeds if the machine is back.
const UNANSWERED_PINGS_OPENING_MAX = 2
// The options of the copies of a connection that BullMQ makes to wait for a job, for at most 10 seconds. A waiting copy
// cannot ping, so it is closed along with its original. When BullMQ closes a connection, it waits for the other side to
// confirm.
const BLOCKING_OPTIONS = { socketTimeout: 12_000, disconnectTimeout: 250 }
// The errors of a server that is no longer a master, or no longer the master for this key. The server has not executed
// the command. Reconnecting finds the new master.
const NOT_MASTER_PATTERN = /^(READONLY|MOVED) /

type ConnectOptions = {
  /**
   * The name or hash tag of the keys that the connection is used for. In a cluster, the connection goes to the master
   * of these keys.
   */
  key: string
  /** Called if this address of Redis can never work. */
  fail?: (error: Error) => void
}

const unansweredPings = new WeakMap<Redis, number>()

export function connectRedis(
  settings: RedisSettings,
  kind: ConnectionKind,
  log: Log,
  { key, fail }: ConnectOptions,
): Redis {
  const address = parseRedisAddress(settings)
  const options = {
    ...OPTIONS_BY_KIND[kind],
    connectTimeout: 1_500,
    keepAlive: 5_000,
    retryStrategy: (attempts: number) => Math.min(attempts * 50, 200),
    reconnectOnError: (error: Error) => NOT_MASTER_PATTERN.test(error.message),
  }
  const redis =
    address.kind === 'server'
      ? new CopiedByBullMq(address.url, options)
      : new CopiedByBullMq({
          ...options,
          ...address.login,
          Connector: createConnectorClass(new MasterFinder(address, key)),
        })
  logOutages(redis, log.child({ redis: kind }))
  failOnMissingDatabase(redis, fail)
  // In a cluster, any node answers a ping, so this connection queries a key instead, which only its master answers.
  const ask = address.kind === 'cluster' ? () => redis.exists(key) : () => redis.ping()
  closeWhenSilent(redis, ask)
  // Reconnects when a node that serves a subscription has lost the subscription's slot to another node.
  redis.on('moved', () => redis.disconnect(true))
  return redis
}

class CopiedByBullMq extends Redis {
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate({ ...override, ...BLOCKING_OPTIONS })
    closeWhenSilent(copy)
    this.on('close', () => copy.stream?.destroy())
    failOnMissingDatabase(copy)
    return copy
  }
}

export function isRedisReady(redis: Redis): boolean {
  return redis.status === 'ready'
}

/** Whether the connection to Redis is open and responding. A Redis that hangs counts as down. */
export function isRedisResponding(redis: Redis): boolean {
  return isRedisReady(redis) && (unansweredPings.get(redis) ?? 0) < UNANSWERED_PINGS_USABLE_MAX
}

// Fails if Redis has no database with this number. Otherwise ioredis would continue with database 0, which others may
// be using.
function failOnMissingDatabase(redis: Redis, fail: (error: Error) => void = () => undefined) {
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    if (error.command?.name !== 'select') return
    redis.disconnect()
    fail(new Error(`This Redis has no database ${redis.options.db}, which REDIS_URL names: ${error.message}`))
  })
}

// Closes a connection that does not respond, even if it is still opening: an unresponsive machine may have accepted the
// connection without ever sending anything. Without `ask`, an open connection may be silent.
function closeWhenSilent(redis: Redis, ask?: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  let bytesSent = 0
  let quietChecks = 0
  const answered = () => unansweredPings.set(redis, 0)
  const check = () => {
    const { stream } = redis
    const number = unansweredPings.get(redis) ?? 0
    const isQuiet = isRedisReady(redis) && number === 0 && stream.bytesWritten === bytesSent
    quietChecks = isQuiet ? quietChecks + 1 : 0
    if (quietChecks % QUIET_CHECKS_MAX === 1) return
    if (number >= (isRedisReady(redis) ? UNANSWERED_PINGS_MAX : UNANSWERED_PINGS_OPENING_MAX))
      stream.destroy(new Error('Redis stopped responding'))
    unansweredPings.set(redis, number + 1)
    if (isRedisReady(redis)) ask?.().then(answered, () => undefined)
    bytesSent = stream.bytesWritten
  }
  redis.on('connect', () => {
    answered()
    clearInterval(timer)
    timer = setInterval(check, PING_INTERVAL_MS).unref()
  })
  redis.on('ready', () => {
    answered()
    if (!ask) clearInterval(timer)
  })
  redis.on('close', () => clearInterval(timer))
}

// Logs one line when Redis goes down and one when it is back. Logging each attempt to connect would fill the log,
// because there are five attempts a second.
function logOutages(redis: Redis, log: Log) {
  let isDown = false
  redis.on('error', (error: Error) => {
    if (!isDown) log.warn({ error: error.message || String(error) }, 'Redis is unavailable')
    isDown = true
  })
  redis.on('ready', () => {
    if (isDown) log.info('Redis is available again')
    isDown = false
  })
}
