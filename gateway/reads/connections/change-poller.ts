// Wakes requests that wait for a change: one query to the outbox serves all that wait in this process, and
// there is none while no request waits. Waiting requests hold no connection.
import type pg from 'pg'
import { type ChangePosition, SERVED_UNTIL } from '../../../shared/changes/read.ts'

type Position = Pick<ChangePosition, 'horizon' | 'sequence'>
type Waiting = { after: Position; wake(): void }

const POLL_EVERY_MS = 200
// Each one is an open request. Beyond that, a request does not wait and has to ask again.
const WAITING_MAX = 2_000

// The newest change that is served; a waiting request has last read within the minute.
const NEWEST = `
  SELECT horizon, sequence FROM changes
  WHERE at > now() - interval '24 hours' AND horizon < ${SERVED_UNTIL}
  ORDER BY horizon DESC, sequence DESC LIMIT 1`

export class ChangePoller {
  readonly #pool: Pick<pg.Pool, 'query'>
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(pool: Pick<pg.Pool, 'query'>) {
    this.#pool = pool
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when a change follows the position, the time is over, the caller disconnects, or this process stops. */
  wait(after: Position, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isStopped || waitMs <= 0 || signal.aborted || this.#waiting.size >= WAITING_MAX)
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
      const { rows } = await this.#pool.query<Position>({ name: 'newest-change', text: NEWEST })
      const [newest] = rows
      if (newest) this.#wake(({ after }) => isBehind(newest, after))
    } catch {
      // The waiting requests query for themselves, and report the error.
      this.#wake(() => true)
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#poll(), POLL_EVERY_MS) : undefined
  }

  #wake(matches: (waiting: Waiting) => boolean) {
    for (const waiting of [...this.#waiting]) if (matches(waiting)) waiting.wake()
  }
}

const isBehind = (newest: Position, after: Position) =>
  newest.horizon > after.horizon || (newest.horizon === after.horizon && newest.sequence > after.sequence)
