// A connection to Redis for some questions: made once, and left again. Nobody waits for a server that is away.
import { Redis, type RedisOptions } from 'ioredis'

const QUICK: RedisOptions = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
}

/** `to` is a URL or what else ioredis takes. Throws why it could not connect, rather than that it could not. */
export async function askRedis<Answer>(
  to: string | RedisOptions,
  timeoutMs: number,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const options = { ...QUICK, connectTimeout: timeoutMs, commandTimeout: timeoutMs }
  const redis = typeof to === 'string' ? new Redis(to, options) : new Redis({ ...to, ...options })
  // What it says by this is the cause; what it throws is only that the connection is closed.
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    // Where there is no database of its number, ioredis goes on with number 0.
    if (cause) throw cause
    return await ask(redis)
  } catch (error) {
    throw cause ?? error
  } finally {
    redis.disconnect()
  }
}
