// Counts requests against a limit a minute, over all gateway processes together. Each process counts ahead by a
// little and tells Redis afterwards, so that most requests cost no round trip; near the limit it asks first.
import { setTimeout as wait } from 'node:timers/promises'
import type { Redis } from 'ioredis'

const WINDOW_MS = 60_000
// How far one process may count ahead: 2 % of the limit, so that several together stay within 10 % over it.
const AHEAD = 0.02
// From here on every request asks first.
const NEAR = 0.9
const KEYS_MAX = 100_000
// Longer than Redis takes where it is well. Reads must not wait for one that hangs.
const ASKED_MS_MAX = 250

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

type Window = { known: number; ahead: number; endsMs: number; telling: boolean }

export class RateLimiter {
  readonly #redis: Redis
  readonly #isUp: () => boolean
  readonly #windows = new Map<string, Window>()

  constructor(redis: Redis, isUp: () => boolean) {
    this.#redis = redis
    this.#isUp = isUp
  }

  async take(key: string, limit: number): Promise<Allowance> {
    const window = this.#window(key)
    const used = window.known + window.ahead
    if (used >= limit) return allowanceOf(window, limit, used + 1)
    window.ahead++
    const mayCountAhead = used < limit * NEAR && window.ahead <= limit * AHEAD
    if (!mayCountAhead) return allowanceOf(window, limit, await this.#ask(key, window))
    if (!window.telling) this.#tellBeside(key, window)
    return allowanceOf(window, limit, used + 1)
  }

  #window(key: string): Window {
    const known = this.#windows.get(key)
    if (known && known.endsMs > Date.now()) return known
    this.#windows.delete(key)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size >= KEYS_MAX && oldest !== undefined) this.#windows.delete(oldest)
    const window = { known: 0, ahead: 0, endsMs: Date.now() + WINDOW_MS, telling: false }
    this.#windows.set(key, window)
    return window
  }

  async #ask(key: string, window: Window): Promise<number> {
    const answer = this.#tell(key, window)
    const ownCount = window.known
    return Promise.race([answer, wait(ASKED_MS_MAX, ownCount, { ref: false })])
  }

  async #tellBeside(key: string, window: Window) {
    window.telling = true
    await this.#tell(key, window)
    window.telling = false
  }

  // Returns the number of the newest request that it tells of. While Redis is away the process goes on with its own
  // count rather than refuse everybody.
  async #tell(key: string, window: Window): Promise<number> {
    const told = window.ahead
    window.ahead = 0
    window.known += told
    const number = window.known
    if (!this.#isUp()) return number
    try {
      const name = `berth:rate:${key}`
      const answers = await this.#redis
        .multi()
        .set(name, 0, 'PX', WINDOW_MS, 'NX')
        .incrby(name, told)
        .pttl(name)
        .exec()
      const [, total] = answers?.[1] ?? []
      const [, leftMs] = answers?.[2] ?? []
      if (typeof leftMs === 'number' && leftMs > 0) window.endsMs = Date.now() + leftMs
      if (typeof total !== 'number') return number
      window.known = Math.max(total, window.known)
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
    resetSeconds: Math.max(1, Math.ceil((window.endsMs - Date.now()) / 1000)),
  }
}
