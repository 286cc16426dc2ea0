// Shares a wrong clock of a worker's machine: the worker reports it, and the gateway shows it in /readyz.
import type { Redis } from 'ioredis'
import { COMPARE_EVERY_MS } from '../utilities/clock.ts'
import { type Keys, keyOf } from './keys.ts'

// Expires soon after the clock is right again, or after the worker has ended.
const KEPT_MS = 2.5 * COMPARE_EVERY_MS

/** With several wrong clocks only the last one is kept: it is enough to know that there is one. */
export async function reportWrongClock(redis: Redis, keys: Keys, aheadMs: number): Promise<void> {
  await redis.set(wrongClockKey(keys), Math.round(aheadMs), 'PX', KEPT_MS)
}

export async function findWrongClock(redis: Redis, keys: Keys): Promise<number | undefined> {
  const aheadMs = await redis.get(wrongClockKey(keys))
  return aheadMs === null ? undefined : Number(aheadMs)
}

const wrongClockKey = (keys: Keys) => keyOf(keys, 'wrong-clock')
