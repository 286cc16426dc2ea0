// The clock of a worker's machine that is wrong: told by the worker, and read by the gateway, which says it in /readyz.
import type { Redis } from 'ioredis'
import { COMPARE_EVERY_MS } from './clock.ts'

const KEY = 'berth:wrong-clock'
// Gone soon after it is right again, or after the worker has ended.
const KEPT_MS = 2.5 * COMPARE_EVERY_MS

/** Of several that are wrong the last one is known: it is enough to know that there is one. */
export async function reportWrongClock(redis: Redis, aheadMs: number): Promise<void> {
  await redis.set(KEY, Math.round(aheadMs), 'PX', KEPT_MS)
}

export async function findWrongClock(redis: Redis): Promise<number | undefined> {
  const aheadMs = await redis.get(KEY)
  return aheadMs === null ? undefined : Number(aheadMs)
}
