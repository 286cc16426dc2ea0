// Counts requests against a limit per minute or longer, across all gateway processes. Each process counts ahead a
// little and reports to Redis afterwards, for all keys at once and at most ten times a second; near a limit
// it asks first. So five processes let at most 10 % more than the limit through.
import type { Redis } from 'ioredis'
import { BoundedMap } from '../../shared/utilities/caches.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const WINDOW_MS = 60_000
// How far one process may count ahead of what it has reported to Redis.
const AHEAD_SHARE = 0.02
// From this share of the limit on, every request asks Redis first.
const NEAR_SHARE = 0.9
const REPORT_EVERY_MS = 100
const KEYS_MAX = 100_000
// Longer than a healthy Redis takes. Reads must not wait for one that hangs.
const REDIS_TIMEOUT_MS = 250

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/** `nameOf` returns the Redis name of a key; it is only called while Redis is up. */
export type SharedRedis = { redis: Redis; isRedisUp(): boolean; nameOf(key: string): string }

type Window = {
  key: string
  lengthMs: number
  /** The count in Redis as this process last heard it, plus all that it has reported since. */
  total: number
  unreported: number
  underWay: number
  endsAtMs: number
}

export class RateLimiter {
  readonly #options: SharedRedis
  readonly #windows = new BoundedMap<Window>(KEYS_MAX)
  readonly #unreported = new Set<Window>()
  #timer: NodeJS.Timeout | undefined
  #reportedMs = 0

  constructor(options: SharedRedis) {
    this.#options = options
  }

  /** Returns a promise only near the limit, where Redis must be asked. */
  take(key: string, limit: number, lengthMs = WINDOW_MS): Allowance | Promise<Allowance> {
    const window = this.#window(key, lengthMs)
    const used = window.total + window.unreported
    if (used >= limit) return allowanceOf(window, limit, used + 1)
    window.unreported++
    const aheadMax = limit * AHEAD_SHARE
    if (used >= limit * NEAR_SHARE || window.unreported + window.underWay > aheadMax) {
      return this.#reportAndWait(window).then((number) => allowanceOf(window, limit, number))
    }
    // Reports early, half-way to the point where requests would have to wait.
    if (window.unreported > aheadMax / 2 && window.underWay === 0) this.#report([window])
    else this.#reportSoon(window)
    return allowanceOf(window, limit, used + 1)
  }

  #window(key: string, lengthMs: number): Window {
    const known = this.#windows.get(key)
    if (known && known.endsAtMs > Date.now()) return known
    const endsAtMs = Date.now() + lengthMs
    const window = { key, lengthMs, total: 0, unreported: 0, underWay: 0, endsAtMs }
    this.#windows.set(key, window)
    return window
  }

  #reportSoon(window: Window) {
    this.#unreported.add(window)
    if (this.#timer) return
    const waitMs = this.#reportedMs + REPORT_EVERY_MS - Date.now()
    this.#timer = setTimeout(() => this.#reportAll(), Math.max(0, waitMs)).unref()
  }

  #reportAll() {
    this.#timer = undefined
    this.#reportedMs = Date.now()
    // Counts of a window that is over no longer matter.
    const windows = [...this.#unreported].filter((each) => each.unreported > 0 && each.endsAtMs > Date.now())
    this.#unreported.clear()
    if (windows.length > 0) this.#report(windows)
  }

  /** Returns the number of the newest request. While Redis is down, the process uses its own count. */
  async #reportAndWait(window: Window): Promise<number> {
    const total = this.#report([window]).then(([number = window.total]) => number)
    const ownCount = window.total
    return withTimeout(total, REDIS_TIMEOUT_MS, () => ownCount)
  }

  // Returns, for each window, the number of the newest request that it reports.
  async #report(windows: Window[]): Promise<number[]> {
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
        // Only the first report of a window sets when it ends.
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

function allowanceOf(window: Window, limit: number, number: number): Allowance {
  return {
    allowed: number <= limit,
    limit,
    remaining: Math.max(0, limit - number),
    resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - Date.now()) / 1000)),
  }
}
