// Connections to Redis. Whoever asks must fail fast, because somebody waits; whoever works must wait, because the
// work is still there when Redis comes back. All of them are left when Redis goes silent.
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../log.ts'
import { parseRedisAddress, type RedisSettings } from './address.ts'
import { connectorTo, Masters } from './masters.ts'

const OPTIONS = {
  // With ioredis's defaults an add during an outage hangs, and succeeds long after its caller was refused.
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
  persistent: { maxRetriesPerRequest: null },
} satisfies Record<string, RedisOptions>

export type ConnectionKind = keyof typeof OPTIONS

// A machine that dies sends no word, and TCP waits a quarter of an hour for one: a connection that answers none of so many
// pings is left, and made anew. Pings are counted, not milliseconds: a process that was held up itself has answers that it
// has not read yet.
const PING_EVERY_MS = 500
const UNANSWERED_MAX = 6
// From so many on nothing is begun on it any more.
const UNANSWERED_UP_MAX = 4
// One that is being made has no pings to answer, and is left sooner: when the machine is back, the one that was begun just
// before stands in the way of the next.
const UNREADY_MAX = 2
// BullMQ copies the connection for commands that wait for a job, for 10 seconds at most. It leaves a silent one by itself,
// but waits for the other side to agree.
const BLOCKING = { socketTimeout: 12_000, disconnectTimeout: 250 }
// It is no master any more, or not of this key: the new one is found by connecting anew. The command was not done.
const ELSEWHERE = /^(READONLY|MOVED) /

type Options = {
  /** What is asked for on it is called like this, or has this hash tag: in a cluster it leads to the master of it. */
  key: string
  /** Is told that this address can never be used. */
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
    reconnectOnError: (error: Error) => ELSEWHERE.test(error.message),
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
  requireItsDatabase(redis, fail)
  // In a cluster the other nodes answer too: only who holds the key is the one that is meant.
  const ask = address.kind === 'cluster' ? () => redis.exists(key) : () => redis.ping()
  leaveWhenSilent(redis, ask)
  // What a channel is subscribed to on a node that has just lost it to another one.
  redis.on('moved', () => redis.disconnect(true))
  return redis
}

class CopiedByBullMq extends Redis {
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate({ ...override, ...BLOCKING })
    leaveWhenSilent(copy)
    requireItsDatabase(copy)
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

// Where there is no database of this number, ioredis would go on with number 0, which may be somebody else's.
function requireItsDatabase(redis: Redis, fail: (error: Error) => void = () => undefined) {
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    if (error.command?.name !== 'select') return
    redis.disconnect()
    fail(new Error(`This Redis has no database ${redis.options.db}, which REDIS_URL names: ${error.message}`))
  })
}

// One that is being made is left too: a silent machine may have taken it, and never says more. Where nothing is asked on it,
// it may be silent once it is made.
function leaveWhenSilent(redis: Redis, ask?: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  const answered = () => unanswered.set(redis, 0)
  const look = () => {
    if (isReady(redis) && !ask) return
    const number = unanswered.get(redis) ?? 0
    if (number >= (isReady(redis) ? UNANSWERED_MAX : UNREADY_MAX))
      redis.stream.destroy(new Error('Redis stopped responding'))
    unanswered.set(redis, number + 1)
    if (isReady(redis)) ask?.().then(answered, () => undefined)
  }
  redis.on('connect', () => {
    answered()
    clearInterval(timer)
    timer = setInterval(look, PING_EVERY_MS).unref()
  })
  redis.on('ready', answered)
  redis.on('close', () => clearInterval(timer))
}

// One line when it goes and one when it is back: a connection that retries five times a second would fill the log.
function logOutages(redis: Redis, log: Log) {
  let away = false
  redis.on('error', (error: Error) => {
    if (!away) log.warn({ error: error.message || String(error) }, 'Redis is unavailable')
    away = true
  })
  redis.on('ready', () => {
    if (away) log.info('Redis is available again')
    away = false
  })
}
