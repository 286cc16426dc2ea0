// Returns all contents of a Redis database as text, and simulates that an hour passes.
import type { Redis } from 'ioredis'

/** Returns a line with key and value for each entry. */
export async function readRedisContents(redis: Redis): Promise<string> {
  const lines: string[] = []
  for (const key of await listKeys(redis)) {
    lines.push(`${key} ${JSON.stringify(await readValue(redis, key))}`)
  }
  return lines.join('\n')
}

/** Moves the end of all jobs back by the given time, and removes keys that would have expired by then. */
export async function ageRedis(redis: Redis, byMs: number): Promise<void> {
  for (const key of await listKeys(redis)) {
    const leftMs = await redis.pttl(key)
    if (leftMs >= 0 && leftMs <= byMs) await redis.del(key)
    if (!/:(completed|failed)$/.test(key) || (await redis.type(key)) !== 'zset') continue
    for (const id of await redis.zrange(key, '0', '-1')) {
      await redis.zincrby(key, -byMs, id)
      const job = key.replace(/:\w+$/, `:${id}`)
      const finishedOn = Number(await redis.hget(job, 'finishedOn'))
      await redis.hset(job, 'finishedOn', String(finishedOn - byMs))
    }
  }
}

export async function listKeys(redis: Redis): Promise<string[]> {
  return (await redis.keys('*')).sort()
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'string') return redis.get(key)
  if (type === 'hash') return redis.hgetall(key)
  if (type === 'list') return redis.lrange(key, 0, -1)
  if (type === 'set') return redis.smembers(key)
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES')
  if (type === 'stream') return redis.xrange(key, '-', '+')
  // The key has expired since its name was read.
  if (type === 'none') return undefined
  throw new Error(`Nobody knows how to read a ${type}: ${key}`)
}
