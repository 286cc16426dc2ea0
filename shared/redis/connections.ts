// A process's connections to Redis, by purpose. With a single server they are all one connection; in a
// cluster each leads to the master that holds its keys, independently of the others.
import { Redis, type RedisOptions } from 'ioredis'
import { hashTag, type RedisPart } from '../identity/keys.ts'
import type { Log } from '../utilities/log.ts'
import { parseRedisAddress, type RedisSettings } from './address.ts'
import { connectorTo, Masters } from './masters.ts'

type Settings = RedisSettings & { redisPrefix: string }

export class RedisConnections {
  readonly #open = new Map<RedisPart, Redis>()
  readonly #connect: (part: RedisPart) => Redis
  readonly #isCluster: boolean

  /** Calls `fail` if these settings can never work. */
  constructor(settings: Settings, kind: ConnectionKind, log: Log, fail?: (error: Error) => void) {
    this.#isCluster = parseRedisAddress(settings).kind === 'cluster'
    this.#connect = (part) => {
      const key = hashTag(settings.redisPrefix, part)
      return connectRedis(settings, kind, this.#isCluster ? log.child({ part }) : log, { key, fail })
    }
  }

  get(part: RedisPart): Redis {
    const place = this.#isCluster ? part : 'shared'
    const redis = this.#open.get(place) ?? this.#connect(place)
    this.#open.set(place, redis)
    return redis
  }

  /** The open connections, by purpose. */
  get all(): ReadonlyMap<RedisPart, Redis> {
    return this.#open
  }

  /** Without `part`, all open connections. */
  isResponding(part?: RedisPart): boolean {
    if (part) return isResponding(this.get(part))
    return [...this.#open.values()].every(isResponding)
  }

  /** Waits until the open connections are connected. */
  async ready(): Promise<void> {
    await Promise.all([...this.#open.values()].map(whenReady))
  }

  disconnect() {
    for (const redis of this.#open.values()) redis.disconnect()
  }
}

async function whenReady(redis: Redis): Promise<void> {
  if (!isReady(redis)) await new Promise<void>((resolve) => redis.once('ready', () => resolve()))
}

const OPTIONS = {
  // With ioredis's defaults, an add during an outage hangs, and succeeds long after its caller was refused.
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
  persistent: { maxRetriesPerRequest: null },
} satisfies Record<string, RedisOptions>

export type ConnectionKind = keyof typeof OPTIONS

// A machine that dies sends no notice, and TCP waits a quarter of an hour for one. So a connection that
// leaves this many pings unanswered is closed and reopened. It counts pings, not milliseconds: a process that
// was held up itself has answers that it has not read yet. While nothing else is sent, it leaves out every
// second ping.
const PING_EVERY_MS = 500
const QUIET_CHECKS = 2
const UNANSWERED_MAX = 6
// From this many unanswered pings on, the connection is not used for new commands.
const UNANSWERED_UP_MAX = 4
// A connection that is still opening has no pings to answer, and is given up sooner: when the machine is
// back, an attempt begun just before would delay the next one.
const UNREADY_MAX = 2
// BullMQ copies the connection for commands that wait for a job, for at most 10 seconds. A copy that waits
// cannot ping: it closes with its original. To close one, BullMQ waits for the other side to agree.
const BLOCKING = { socketTimeout: 12_000, disconnectTimeout: 250 }
// The server is no longer a master, or not of this key: reconnecting finds the new one. The command was not
// executed.
const NOT_MASTER = /^(READONLY|MOVED) /

type Options = {
  /** The name or hash tag of the keys used on it: in a cluster the connection leads to their master. */
  key: string
  /** Called if this address can never work. */
  fail?: (error: Error) => void
}

const unanswered = new WeakMap<Redis, number>()

export function connectRedis(
  settings: RedisSettings,
  kind: ConnectionKind,
  log: Log,
  { key, fail }: Options,
): Redis {
  const address = parseRedisAddress(settings)
  const options = {
    ...OPTIONS[kind],
    connectTimeout: 1_500,
    keepAlive: 5_000,
    retryStrategy: (attempts: number) => Math.min(attempts * 50, 200),
    reconnectOnError: (error: Error) => NOT_MASTER.test(error.message),
  }
  const redis =
    address.kind === 'server'
      ? new CopiedByBullMq(address.url, options)
      : new CopiedByBullMq({
          ...options,
          ...address.login,
          Connector: connectorTo(new Masters(address, key)),
        })
  logOutages(redis, log.child({ redis: kind }))
  failOnMissingDatabase(redis, fail)
  // In a cluster the other nodes answer a ping too, so this queries a key, which only its master answers.
  const ask = address.kind === 'cluster' ? () => redis.exists(key) : () => redis.ping()
  closeWhenSilent(redis, ask)
  // For a subscription on a node that has just lost its slot to another one.
  redis.on('moved', () => redis.disconnect(true))
  return redis
}

class CopiedByBullMq extends Redis {
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate({ ...override, ...BLOCKING })
    closeWhenSilent(copy)
    this.on('close', () => copy.stream?.destroy())
    failOnMissingDatabase(copy)
    return copy
  }
}

export function isReady(redis: Redis): boolean {
  return redis.status === 'ready'
}

/** Connected and responding: a Redis that hangs counts as down. */
export function isResponding(redis: Redis): boolean {
  return isReady(redis) && (unanswered.get(redis) ?? 0) < UNANSWERED_UP_MAX
}

// If there is no database with this number, ioredis would continue with number 0, which may be in use by
// others.
function failOnMissingDatabase(redis: Redis, fail: (error: Error) => void = () => undefined) {
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    if (error.command?.name !== 'select') return
    redis.disconnect()
    fail(new Error(`This Redis has no database ${redis.options.db}, which REDIS_URL names: ${error.message}`))
  })
}

// Also gives up a connection that is still opening: a silent machine may have accepted it and never sends
// more. Once open, a connection without `ask` may be silent.
function closeWhenSilent(redis: Redis, ask?: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  let bytesSent = 0
  let quietChecks = 0
  const answered = () => unanswered.set(redis, 0)
  const check = () => {
    const { stream } = redis
    const number = unanswered.get(redis) ?? 0
    const isQuiet = isReady(redis) && number === 0 && stream.bytesWritten === bytesSent
    quietChecks = isQuiet ? quietChecks + 1 : 0
    if (quietChecks % QUIET_CHECKS === 1) return
    if (number >= (isReady(redis) ? UNANSWERED_MAX : UNREADY_MAX))
      stream.destroy(new Error('Redis stopped responding'))
    unanswered.set(redis, number + 1)
    if (isReady(redis)) ask?.().then(answered, () => undefined)
    bytesSent = stream.bytesWritten
  }
  redis.on('connect', () => {
    answered()
    clearInterval(timer)
    timer = setInterval(check, PING_EVERY_MS).unref()
  })
  redis.on('ready', () => {
    answered()
    if (!ask) clearInterval(timer)
  })
  redis.on('close', () => clearInterval(timer))
}

// Logs one line when Redis goes down and one when it is back: a connection that retries five times a second
// would fill the log.
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
