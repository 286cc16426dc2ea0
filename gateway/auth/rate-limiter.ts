// Counts requests against a limit a minute, over all gateway processes together. Each process counts ahead by a
// little and reports to Redis afterwards, so that most requests cost no round trip; near the limit it asks first.
import type { Redis } from 'ioredis'
import { BoundedMap } from '../../shared/utilities/bounded-map.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const WINDOW_MS = 60_000
// How far one process may count ahead: 2 % of the limit, so that several together stay within 10 % over it.
const AHEAD_SHARE = 0.02
// From this share of the limit on every request asks first.
const NEAR_SHARE = 0.9
const KEYS_MAX = 100_000
// Longer than Redis takes where it is well. Reads must not wait for one that hangs.
const REDIS_TIMEOUT_MS = 250

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

type Window = { total: number; unreported: number; endsAtMs: number; reporting: boolean }

export class RateLimiter {
  readonly #redis: Redis
  readonly #isUp: () => boolean
  readonly #windows = new BoundedMap<Window>(KEYS_MAX)

  constructor(redis: Redis, isUp: () => boolean) {
    this.#redis = redis
    this.#isUp = isUp
  }

  async take(key: string, limit: number): Promise<Allowance> {
    const window = this.#window(key)
    const used = window.total + window.unreported
    if (used >= limit) return allowanceOf(window, limit, used + 1)
    window.unreported++
    const mayCountAhead = used < limit * NEAR_SHARE && window.unreported <= limit * AHEAD_SHARE
    if (!mayCountAhead) return allowanceOf(window, limit, await this.#reportAndWait(key, window))
    if (!window.reporting) this.#reportInBackground(key, window)
    return allowanceOf(window, limit, used + 1)
  }

  #window(key: string): Window {
    const known = this.#windows.get(key)
    if (known && known.endsAtMs > Date.now()) return known
    const window = { total: 0, unreported: 0, endsAtMs: Date.now() + WINDOW_MS, reporting: false }
    this.#windows.set(key, window)
    return window
  }

  async #reportAndWait(key: string, window: Window): Promise<number> {
    const total = this.#report(key, window)
    const ownCount = window.total
    return withTimeout(total, REDIS_TIMEOUT_MS, () => ownCount)
  }

  async #reportInBackground(key: string, window: Window) {
    window.reporting = true
    await this.#report(key, window)
    window.reporting = false
  }

  // Returns the number of the newest request that it reports. While Redis is down the process goes on with its own
  // count rather than refuse everybody.
  async #report(key: string, window: Window): Promise<number> {
    const unreported = window.unreported
    window.unreported = 0
    window.total += unreported
    const number = window.total
    if (!this.#isUp()) return number
    try {
      const name = `berth:rate:${key}`
      const answers = await this.#redis
        .multi()
        .set(name, 0, 'PX', WINDOW_MS, 'NX')
        .incrby(name, unreported)
        .pttl(name)
        .exec()
      const [, total] = answers?.[1] ?? []
      const [, leftMs] = answers?.[2] ?? []
      if (typeof leftMs === 'number' && leftMs > 0) window.endsAtMs = Date.now() + leftMs
      if (typeof total !== 'number') return number
      window.total = Math.max(total, window.total)
      return total
    } catch {
      return number
    }
  }
}

function allowanceOf(window: Window, limit: number, number: number): Allowance {
  return {
    allowed: number <= limit,
    limit,
    remaining: Math.max(0, limit - number),
    resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - Date.now()) / 1000)),
  }
}
