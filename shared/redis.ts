// Connections to Redis. Whoever asks must fail fast, because somebody waits; whoever works must wait, because the
// work is still there when Redis comes back.
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log.ts'

const OPTIONS = {
  // With ioredis's defaults an add during an outage hangs, and succeeds long after its caller was refused.
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
  persistent: { maxRetriesPerRequest: null },
} satisfies Record<string, RedisOptions>

export function connectRedis(url: string, kind: keyof typeof OPTIONS, log: Log): Redis {
  const redis = new Redis(url, {
    ...OPTIONS[kind],
    connectTimeout: 2_000,
    keepAlive: 5_000,
    retryStrategy: (attempts) => Math.min(attempts * 50, 200),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  logOutages(redis, log.child({ redis: kind }))
  return redis
}

export function isReady(redis: Redis): boolean {
  return redis.status === 'ready'
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
