// Tells those who wait for a change that there is one: one look at the outbox for all who wait in this process, and none
// while nobody does. Nobody holds a connection meanwhile.
import type pg from 'pg'
import { type ChangePosition, SERVED_UNTIL } from '../../shared/changes/read.ts'

type Position = Pick<ChangePosition, 'horizon' | 'sequence'>
type Waiting = { after: Position; wake(): void }

const LOOK_EVERY_MS = 200
// Each is an open request. Beyond that nobody waits, and asks again.
const WAITING_MAX = 2_000

// The newest that is served; whoever waits has been here within the minute.
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

  /** Until there is something behind the position, or the time is over, or the caller is gone, or the process ends. */
  wait(after: Position, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isStopped || waitMs <= 0 || signal.aborted || this.#waiting.size >= WAITING_MAX)
      return Promise.resolve()
    return new Promise((resolve) => {
      const waiting = { after, wake: () => finish() }
      const timeout = setTimeout(() => finish(), waitMs)
      const finish = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', finish)
        this.#waiting.delete(waiting)
        resolve()
      }
      signal.addEventListener('abort', finish)
      this.#waiting.add(waiting)
      this.#timer ??= setTimeout(() => this.#look(), LOOK_EVERY_MS)
    })
  }

  /** The process ends: nobody is kept waiting. */
  stop() {
    this.#isStopped = true
    this.#wake(() => true)
  }

  async #look(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<Position>({ name: 'newest-change', text: NEWEST })
      const [newest] = rows
      if (newest) this.#wake(({ after }) => isBehind(newest, after))
    } catch {
      // Whoever waits asks for itself, and hears what is wrong.
      this.#wake(() => true)
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined
  }

  #wake(concerns: (waiting: Waiting) => boolean) {
    for (const waiting of [...this.#waiting]) if (concerns(waiting)) waiting.wake()
  }
}

function isBehind(newest: Position, after: Position): boolean {
  return (
    newest.horizon > after.horizon || (newest.horizon === after.horizon && newest.sequence > after.sequence)
  )
}
