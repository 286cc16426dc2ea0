// Limits the pages of one viewer or one screen: their requests per minute across all processes, and how many this process
// serves at once. Their other requests wait, so that nobody slows everybody else.
import { message } from '../../shared/messages/message.ts'
import { type Caller, ownerOf } from './admission.ts'
import { FairLimit } from './fair-limit.ts'
import type { Allowance, RateLimiter } from './rate-limiter.ts'
import { rateLimited, unavailable } from './refusals.ts'

export type PageKind = 'people' | 'dashboard' | 'screens'
type ShareKind = PageKind | 'people_actions'

// For people and screens, twice the number of their connections: more would only wait for a connection.
const AT_ONCE = {
  people: { max: 8, ownMax: 2 },
  dashboard: { max: 32, ownMax: 4 },
  screens: { max: 4, ownMax: 2 },
  // Actions wait for workers. They have places of their own, so that pages load while writes are slow.
  people_actions: { max: 256, ownMax: 2 },
}
const WAITING_MAX = 500
const WAIT_MS = 2_000
// A screen asks for its page, the pictures of its floors, and its feed when the connection breaks.
const SCREEN_REQUESTS_PER_MINUTE = 240

const TOO_OFTEN = message`Too many requests for these pages. Nothing was changed; try again shortly.`
const TOO_MANY = message`Too many of these pages are being loaded. Nothing was changed; try again shortly.`

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
      const { max, ownMax } = AT_ONCE[kind]
      return { fair: new FairLimit({ max: () => max, ownMax, waitingMax: () => WAITING_MAX }), limit: max }
    }
    this.limits = {
      people: limitOf('people'),
      dashboard: limitOf('dashboard'),
      screens: limitOf('screens'),
      people_actions: limitOf('people_actions'),
    }
  }

  /** Counts a request, and refuses it above the limit of this minute. Calls `limited` before it refuses. */
  async count(kind: PageKind, owner: Caller, limited: () => void): Promise<void> {
    const { allowed, resetSeconds }: Allowance = await this.#rateLimiter.take(
      `pages:${ownerOf(owner)}`,
      this.#perMinute[kind],
    )
    if (allowed) return
    limited()
    throw rateLimited(TOO_OFTEN, resetSeconds)
  }

  /** Does the work when it is its owner's turn. */
  async share<Result>(kind: ShareKind, owner: Caller, work: () => Promise<Result>): Promise<Result> {
    const release = await this.limits[kind].fair.take({ owner: ownerOf(owner), waitMs: WAIT_MS })
    if (!release) throw unavailable(kind === 'screens' ? 'screens_overload' : 'pages_overload', TOO_MANY)
    try {
      return await work()
    } finally {
      release()
    }
  }
}
