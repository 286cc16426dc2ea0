// Counts requests against a limit per minute or longer, across all gateway processes. Each process counts ahead a
// little and then reports to Redis, for all keys at once and at most ten times a second. Near a limit, the process asks
// Redis first. So five processes together allow at most 10 % more than the limit.
import type { Redis } from 'ioredis'
import { BoundedMap } from '../../shared/utilities/caches.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const WINDOW_MS = 60_000
// How many requests one process may count before it reports them to Redis, as a share of the limit.
const UNREPORTED_SHARE_MAX = 0.02
// The share of the limit above which every request asks Redis first.
const ASK_REDIS_SHARE = 0.9
const REPORT_EVERY_MS = 100
const KEYS_MAX = 100_000
// How long to wait for Redis. A healthy Redis answers sooner, and reads must not wait for a Redis that hangs.
const REDIS_TIMEOUT_MS = 250

export type RateLimitResult = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/** `nameOf` returns the Redis name of a key. This function is only called while Redis is up. */
export type SharedRedis = { redis: Redis; isRedisUp(): boolean; nameOf(key: string): string }

type CountedWindow = {
  key: string
  lengthMs: number
  /** The last count that this process got from Redis, plus all requests that this process has reported since. */
  total: number
  unreported: number
  underWay: number
  endsAtMs: number
}

export class RateLimiter {
  readonly #options: SharedRedis
  readonly #windows = new BoundedMap<CountedWindow>(KEYS_MAX)
  readonly #unreported = new Set<CountedWindow>()
  #timer: NodeJS.Timeout | undefined
  #reportedMs = 0

  constructor(options: SharedRedis) {
    this.#options = options
  }

  /** Counts a request. Returns a promise only near the limit, where it asks Redis first. */
  take(key: string, limit: number, lengthMs = WINDOW_MS): RateLimitResult | Promise<RateLimitResult> {
    const window = this.#window(key, lengthMs)
    const used = window.total + window.unreported
    if (used >= limit) return toRateLimitResult(window, limit, used + 1)
    window.unreported++
    const aheadMax = limit * UNREPORTED_SHARE_MAX
    if (used >= limit * ASK_REDIS_SHARE || window.unreported + window.underWay > aheadMax) {
      return this.#reportAndWait(window).then((number) => toRateLimitResult(window, limit, number))
    }
    // Reports early, half-way to the count at which requests would have to wait for Redis.
    if (window.unreported > aheadMax / 2 && window.underWay === 0) this.#report([window])
    else this.#reportSoon(window)
    return toRateLimitResult(window, limit, used + 1)
  }

  #window(key: string, lengthMs: number): CountedWindow {
    const known = this.#windows.get(key)
    if (known && known.endsAtMs > Date.now()) return known
    const endsAtMs = Date.now() + lengthMs
    const window = { key, lengthMs, total: 0, unreported: 0, underWay: 0, endsAtMs }
    this.#windows.set(key, window)
    return window
  }

  #reportSoon(window: CountedWindow) {
    this.#unreported.add(window)
    if (this.#timer) return
    const waitMs = this.#reportedMs + REPORT_EVERY_MS - Date.now()
    this.#timer = setTimeout(() => this.#reportAll(), Math.max(0, waitMs)).unref()
  }

  #reportAll() {
    this.#timer = undefined
    this.#reportedMs = Date.now()
    // Drops the counts of windows that have ended, because they no longer matter.
    const windows = [...this.#unreported].filter((each) => each.unreported > 0 && each.endsAtMs > Date.now())
    this.#unreported.clear()
    if (windows.length > 0) this.#report(windows)
  }

  /**
   * Reports the requests, and returns the number of the newest one. While Redis is down, uses the process's own count.
   */
  async #reportAndWait(window: CountedWindow): Promise<number> {
    const total = this.#report([window]).then(([number = window.total]) => number)
    const ownCount = window.total
    return withTimeout(total, REDIS_TIMEOUT_MS, () => ownCount)
  }

  // Reports several windows. Returns, for each of them, the number of its newest request.
  async #report(windows: CountedWindow[]): Promise<number[]> {
    const reports = windows.map((window) => {
      const { unreported } = window
      window.unreported = 0
      window.total += unreported
      window.underWay += unreported
      return { window, unreported, number: window.total }
    })
    try {
      const { redis, isRedisUp, nameOf } = this.#options
      if (!isRedisUp()) return reports.map(({ number }) => number)
      const pipeline = redis.pipeline()
      for (const { window, unreported } of reports) {
        const name = nameOf(`rate:${window.key}`)
        // Only the first report of a window sets when the window ends.
        pipeline.incrby(name, unreported).pexpire(name, window.lengthMs, 'NX').pttl(name)
      }
      const answers = (await pipeline.exec()) ?? []
      return reports.map(({ window, number }, index) => {
        const [total, , leftMs] = answers.slice(index * 3, index * 3 + 3).map(([, answer]) => answer)
        if (typeof leftMs === 'number' && leftMs > 0) window.endsAtMs = Date.now() + leftMs
        if (typeof total !== 'number') return number
        window.total = Math.max(total, window.total)
        return total
      })
    } catch {
      return reports.map(({ number }) => number)
    } finally {
      for (const { window, unreported } of reports) window.underWay -= unreported
    }
  }
}

function toRateLimitResult(window: CountedWindow, limit: number, number: number): RateLimitResult {
  return {
    allowed: number <= limit,
    limit,
    remaining: Math.max(0, limit - number),
    resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - Date.now()) / 1000)),
  }
}
