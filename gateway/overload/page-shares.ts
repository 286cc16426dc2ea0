// Limits the page requests of one viewer or one screen: a number per minute across all processes, and a
// number at once within this process. Requests above the second limit wait, so that no viewer slows the
// others down.
import { message } from '../../shared/messages/message.ts'
import { type AdmittedCaller, findQuotaOwner } from './admission.ts'
import { FairLimit } from './fair-limit.ts'
import type { RateLimiter, RateLimitResult } from './rate-limiter.ts'
import { createRateLimitRefusal, serviceUnavailable } from './refusals.ts'

export type PageKind = 'people' | 'dashboard' | 'screens'
type ShareKind = PageKind | 'people_actions'

// The number of requests served at once: for people and screens, twice the number of their database connections. More
// requests would only wait for a connection.
const CONCURRENT_REQUESTS_MAX = {
  people: { max: 8, ownMax: 2 },
  dashboard: { max: 32, ownMax: 4 },
  screens: { max: 4, ownMax: 2 },
  // Actions wait for workers, so they have separate places. Pages then load even while writes are slow.
  people_actions: { max: 256, ownMax: 2 },
}
const WAITING_REQUESTS_MAX = 500
const WAIT_MS = 2_000
// The limit of requests per minute and screen. A screen requests its page and the pictures of its floors, and
// reconnects its feed when the connection breaks.
const SCREEN_REQUESTS_PER_MINUTE = 240

const TOO_MANY_PER_MINUTE = message`Too many requests for these pages. Nothing was changed; try again shortly.`
const TOO_MANY_AT_ONCE = message`Too many of these pages are being loaded. Nothing was changed; try again shortly.`

export class PageShares {
  readonly #rateLimiter: RateLimiter
  readonly #perMinute: Record<PageKind, number>
  readonly limits: Record<ShareKind, { fair: FairLimit; limit: number }>

  constructor(rateLimiter: RateLimiter, { pageLimitPerMinute }: { pageLimitPerMinute: number }) {
    this.#rateLimiter = rateLimiter
    this.#perMinute = {
      people: pageLimitPerMinute,
      dashboard: pageLimitPerMinute,
      screens: SCREEN_REQUESTS_PER_MINUTE,
    }
    const limitOf = (kind: ShareKind) => {
      const { max, ownMax } = CONCURRENT_REQUESTS_MAX[kind]
      return {
        fair: new FairLimit({ max: () => max, ownMax, waitingMax: () => WAITING_REQUESTS_MAX }),
        limit: max,
      }
    }
    this.limits = {
      people: limitOf('people'),
      dashboard: limitOf('dashboard'),
      screens: limitOf('screens'),
      people_actions: limitOf('people_actions'),
    }
  }

  /** Counts a page request, and refuses the request if it exceeds this minute's limit. Calls `limited` before
   * it refuses. */
  async count(kind: PageKind, owner: AdmittedCaller, limited: () => void): Promise<void> {
    const { allowed, resetSeconds }: RateLimitResult = await this.#rateLimiter.take(
      `pages:${findQuotaOwner(owner)}`,
      this.#perMinute[kind],
    )
    if (allowed) return
    limited()
    throw createRateLimitRefusal(TOO_MANY_PER_MINUTE, resetSeconds)
  }

  /** Runs the work when the owner gets a place. */
  async share<Result>(kind: ShareKind, owner: AdmittedCaller, work: () => Promise<Result>): Promise<Result> {
    const release = await this.limits[kind].fair.take({ owner: findQuotaOwner(owner), waitMs: WAIT_MS })
    if (!release)
      throw serviceUnavailable(kind === 'screens' ? 'screens_overload' : 'pages_overload', TOO_MANY_AT_ONCE)
    try {
      return await work()
    } finally {
      release()
    }
  }
}
