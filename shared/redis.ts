// Connections to Redis. Whoever asks must fail fast, because somebody waits; whoever works must wait, because the
// work is still there when Redis comes back. All of them are left when Redis goes silent.
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log.ts'

const OPTIONS = {
  // With ioredis's defaults an add during an outage hangs, and succeeds long after its caller was refused.
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
  persistent: { maxRetriesPerRequest: null },
} satisfies Record<string, RedisOptions>

// A machine that dies sends no word, and TCP waits a quarter of an hour for one: a connection that answers none of so many
// pings is left, and made anew. Pings are counted, not milliseconds: a process that was held up itself has answers that it
// has not read yet.
const PING_EVERY_MS = 500
const UNANSWERED_MAX = 6
// One that is being made has no pings to answer, and is left sooner: when the machine is back, the one that was begun just
// before stands in the way of the next.
const UNREADY_MAX = 2
// BullMQ copies the connection for commands that wait for a job, for 10 seconds at most. It leaves a silent one by itself,
// but waits for the other side to agree.
const BLOCKING = { socketTimeout: 12_000, disconnectTimeout: 250 }

/** `fail` is told that this address can never be used. */
export function connectRedis(
  url: string,
  kind: keyof typeof OPTIONS,
  log: Log,
  fail: (error: Error) => void = () => undefined,
): Redis {
  const redis = new CopiedByBullMq(url, {
    ...OPTIONS[kind],
    connectTimeout: 1_500,
    keepAlive: 5_000,
    retryStrategy: (attempts) => Math.min(attempts * 50, 200),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  logOutages(redis, log.child({ redis: kind }))
  requireItsDatabase(redis, fail)
  leaveWhenSilent(redis, { asks: true })
  return redis
}

class CopiedByBullMq extends Redis {
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate({ ...override, ...BLOCKING })
    leaveWhenSilent(copy, { asks: false })
    requireItsDatabase(copy)
    return copy
  }
}

export function isReady(redis: Redis): boolean {
  return redis.status === 'ready'
}

// Where there is no database of this number, ioredis would go on with number 0, which may be somebody else's.
function requireItsDatabase(redis: Redis, fail: (error: Error) => void = () => undefined) {
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    if (error.command?.name !== 'select') return
    redis.disconnect()
    fail(new Error(`This Redis has no database ${redis.options.db}, which REDIS_URL names: ${error.message}`))
  })
}

// One that is being made is left too: a silent machine may have taken it, and never says more.
function leaveWhenSilent(redis: Redis, { asks }: { asks: boolean }) {
  let timer: NodeJS.Timeout | undefined
  let unanswered = 0
  const answered = () => {
    unanswered = 0
  }
  const look = () => {
    if (isReady(redis) && !asks) return
    if (unanswered >= (isReady(redis) ? UNANSWERED_MAX : UNREADY_MAX))
      redis.stream.destroy(new Error('Redis stopped responding'))
    unanswered++
    if (isReady(redis)) redis.ping().then(answered, () => undefined)
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
