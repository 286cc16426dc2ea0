// The clock of a worker's machine that is wrong: told by the worker, and read by the gateway, which says it in /readyz.
import type { Redis } from 'ioredis'
import { type Keys, keyOf } from '../identity/keys.ts'
import { COMPARE_EVERY_MS } from './clock.ts'

// Gone soon after it is right again, or after the worker has ended.
const KEPT_MS = 2.5 * COMPARE_EVERY_MS

/** Of several that are wrong the last one is known: it is enough to know that there is one. */
export async function reportWrongClock(redis: Redis, keys: Keys, aheadMs: number): Promise<void> {
  await redis.set(wrongClockKey(keys), Math.round(aheadMs), 'PX', KEPT_MS)
}

export async function findWrongClock(redis: Redis, keys: Keys): Promise<number | undefined> {
  const aheadMs = await redis.get(wrongClockKey(keys))
  return aheadMs === null ? undefined : Number(aheadMs)
}

const wrongClockKey = (keys: Keys) => keyOf(keys, 'wrong-clock')
