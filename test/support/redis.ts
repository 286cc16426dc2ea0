// Opens connections to the Redis of a world, and empties the Redis before a world uses it.
import type { Redis } from 'ioredis'
import { getHashTag, type RedisPart } from '../../shared/identity/keys.ts'
import type { RedisSettings } from '../../shared/redis/address.ts'
import { type ConnectionKind, connectRedis } from '../../shared/redis/connections.ts'
import { askRedis } from '../../shared/redis/masters.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { KEYS, readServerUrls } from './databases.ts'

type Options = { part?: RedisPart; kind?: ConnectionKind; log?: ReturnType<typeof createLog> }

/** Opens a connection to Redis. In a cluster, connects to the master of the given key. */
export function openRedis(
  settings: RedisSettings,
  { part = 'shared', kind = 'persistent', log }: Options = {},
): Redis {
  return connectRedis(settings, kind, log ?? createLog('test', 'silent'), {
    key: getHashTag(KEYS.prefix, part),
  })
}

const ANSWER_MS_MAX = 10_000
// The number of databases. Each world gets a new database, so that leftovers of a failed test do not affect the jobs of
// the next world.
export const REDIS_DATABASES = 1_000
let nextRedis = 0

/** Returns the settings of an empty Redis. */
export async function provideEmptyRedis(): Promise<Record<string, string>> {
  const { TEST_REDIS_SETTINGS: given } = process.env
  if (given) {
    await emptyConfiguredRedis()
    return JSON.parse(given) as Record<string, string>
  }
  nextRedis++
  const url = `${readServerUrls().redisUrl}/${nextRedis}`
  await askRedis(url, ANSWER_MS_MAX, (redis) => redis.flushdb())
  return { REDIS_URL: url }
}

/** Empties a Redis that an operator set up for the whole run. `TEST_REDIS_EMPTY` lists its servers. */
async function emptyConfiguredRedis(): Promise<void> {
  const urls = (process.env.TEST_REDIS_EMPTY ?? '').split(',')
  // A replica accepts no writes, and follows its master.
  const empty = (url: string) => askRedis(url, ANSWER_MS_MAX, (redis) => redis.flushall())
  await Promise.any(urls.map(empty))
  await Promise.allSettled(urls.map(empty))
}
