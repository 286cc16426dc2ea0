// Wakes requests that wait for a change. One query to the outbox serves all waiting requests of this process;
// if no request waits, nothing is queried. Waiting requests hold no connection.
import type pg from 'pg'
import { type ChangePosition, SERVED_HORIZON_SQL } from '../../../shared/changes/read.ts'

type FeedPosition = Pick<ChangePosition, 'horizon' | 'sequence'>
type WaitingRequest = { after: FeedPosition; wake(): void }

const POLL_EVERY_MS = 200
// The maximum number of waiting requests, because each one is an open HTTP request. Beyond this number, a request
// returns at once and the client has to ask again.
const WAITING_REQUESTS_MAX = 2_000

// Finds the newest change that may be served. Older changes do not matter, because every waiting request has
// read the changes within the last minute.
const NEWEST_CHANGE_STATEMENT = `
  SELECT horizon, sequence FROM changes
  WHERE at > now() - interval '24 hours' AND horizon < ${SERVED_HORIZON_SQL}
  ORDER BY horizon DESC, sequence DESC LIMIT 1`

export class ChangePoller {
  readonly #pool: Pick<pg.Pool, 'query'>
  readonly #waiting = new Set<WaitingRequest>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(pool: Pick<pg.Pool, 'query'>) {
    this.#pool = pool
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves when there is a change after the position, the time is over, the caller disconnects, or this process
   * stops.
   */
  wait(after: FeedPosition, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isStopped || waitMs <= 0 || signal.aborted || this.#waiting.size >= WAITING_REQUESTS_MAX)
      return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', wake)
        this.#waiting.delete(waiting)
        resolve()
      }
      const waiting = { after, wake }
      const timeout = setTimeout(wake, waitMs)
      signal.addEventListener('abort', wake)
      this.#waiting.add(waiting)
      this.#timer ??= setTimeout(() => this.#poll(), POLL_EVERY_MS)
    })
  }

  stop() {
    this.#isStopped = true
    this.#wake(() => true)
  }

  async #poll(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<FeedPosition>({
        name: 'newest-change',
        text: NEWEST_CHANGE_STATEMENT,
      })
      const [newest] = rows
      if (newest) this.#wake(({ after }) => isBehind(newest, after))
    } catch {
      // Wakes all waiting requests, which then query the outbox themselves and report the error.
      this.#wake(() => true)
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#poll(), POLL_EVERY_MS) : undefined
  }

  #wake(matches: (waiting: WaitingRequest) => boolean) {
    for (const waiting of [...this.#waiting]) if (matches(waiting)) waiting.wake()
  }
}

const isBehind = (newest: FeedPosition, after: FeedPosition) =>
  newest.horizon > after.horizon || (newest.horizon === after.horizon && newest.sequence > after.sequence)
