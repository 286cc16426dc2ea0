// The Redis of a world: connections of a test's own to it, and emptying it before a world uses it.
import type { Redis } from 'ioredis'
import { hashTag, type RedisPart } from '../../shared/identity/keys.ts'
import type { RedisSettings } from '../../shared/redis/address.ts'
import { type ConnectionKind, connectRedis } from '../../shared/redis/connections.ts'
import { askRedis } from '../../shared/redis/masters.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { KEYS, serverUrls } from './databases.ts'

type Options = { part?: RedisPart; kind?: ConnectionKind; log?: ReturnType<typeof createLog> }

/** In a cluster it leads to the master of this part. */
export function openRedis(
  settings: RedisSettings,
  { part = 'shared', kind = 'persistent', log }: Options = {},
): Redis {
  return connectRedis(settings, kind, log ?? createLog('test', 'silent'), { key: hashTag(KEYS.prefix, part) })
}

const ANSWER_MS_MAX = 10_000
// One for each world, and none a second time: what a test that failed left running must not reach the next one's jobs.
export const REDIS_DATABASES = 1_000
let nextRedis = 0

/** Settings of a Redis that is empty. */
export async function emptyRedis(): Promise<Record<string, string>> {
  const { TEST_REDIS_SETTINGS: given } = process.env
  if (given) {
    await emptyGiven()
    return JSON.parse(given) as Record<string, string>
  }
  nextRedis++
  const url = `${serverUrls().redisUrl}/${nextRedis}`
  await askRedis(url, ANSWER_MS_MAX, (redis) => redis.flushdb())
  return { REDIS_URL: url }
}

/** One that was set up for the whole run, where each world follows the one before: `TEST_REDIS_EMPTY` are its servers. */
async function emptyGiven(): Promise<void> {
  const urls = (process.env.TEST_REDIS_EMPTY ?? '').split(',')
  // A replica takes no writes, and follows its master.
  const empty = (url: string) => askRedis(url, ANSWER_MS_MAX, (redis) => redis.flushall())
  await Promise.any(urls.map(empty))
  await Promise.allSettled(urls.map(empty))
}
