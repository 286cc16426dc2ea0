// Opens a connection to Redis for a few queries, once, and closes it. Does not wait for a server that is
// down.
import { Redis, type RedisOptions } from 'ioredis'

const QUICK: RedisOptions = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
}

/**
 * `to` is a URL, or options of ioredis. Throws the reason why it could not connect, not just that it could
 * not.
 */
export async function askRedis<Answer>(
  to: string | RedisOptions,
  timeoutMs: number,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const options = { ...QUICK, connectTimeout: timeoutMs, commandTimeout: timeoutMs }
  const redis = typeof to === 'string' ? new Redis(to, options) : new Redis({ ...to, ...options })
  // The error event has the cause; the thrown error only says that the connection is closed.
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    // If there is no database with this number, ioredis continues with number 0.
    if (cause) throw cause
    return await ask(redis)
  } catch (error) {
    throw cause ?? error
  } finally {
    redis.disconnect()
  }
}
