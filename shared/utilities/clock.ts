// The clock that deadlines use. It is this machine's clock, compared with Postgres's now and then; if the two
// differ too much, it is Postgres's, which all processes share. Otherwise a worker whose clock is ahead would
// skip every job, and all jobs of a gateway whose clock is behind would be skipped.
import type { Log } from './log.ts'

export const COMPARE_EVERY_MS = 15_000
// Deadlines have this much to spare.
const DIFFERENCE_MS_MAX = 1_000
// An answer that took longer does not tell when it was given.
const ANSWER_MS_MAX = 1_000

type Options = {
  /** This machine's clock; tests pass their own. */
  machine: () => number
  /** Postgres's clock, in milliseconds too. */
  postgres: () => Promise<number>
  log: Log
  /** Called at every comparison that finds the clock wrong. */
  onWrong?: (aheadMs: number) => void
}

/** A statement whose only row has the time as `ms`. */
export const CLOCK_SQL = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

export class Clock {
  /** Resolves once the clocks have been compared, or could not be. */
  readonly compared: Promise<void>
  readonly #options: Options
  readonly #timer: NodeJS.Timeout
  #aheadMs = 0

  constructor(options: Options) {
    this.#options = options
    this.#timer = setInterval(() => this.#compare(), COMPARE_EVERY_MS).unref()
    this.compared = this.#compare()
  }

  now(): number {
    return this.#options.machine() - (this.#isOff ? this.#aheadMs : 0)
  }

  /** Describes what is wrong with this machine's clock, if anything. */
  describe(): string | undefined {
    return this.#isOff ? describeClock('this', this.#aheadMs) : undefined
  }

  stop() {
    clearInterval(this.#timer)
  }

  get #isOff(): boolean {
    return Math.abs(this.#aheadMs) > DIFFERENCE_MS_MAX
  }

  async #compare(): Promise<void> {
    const { log, onWrong } = this.#options
    try {
      // The first query also waits for its connection, which may take longer than the answer.
      const aheadMs = (await this.#measure()) ?? (await this.#measure())
      if (aheadMs === undefined) return
      const wasOff = this.#isOff
      this.#aheadMs = aheadMs
      if (this.#isOff && !wasOff) log.warn({ aheadMs: Math.round(this.#aheadMs) }, this.describe())
      if (this.#isOff) onWrong?.(this.#aheadMs)
      if (wasOff && !this.#isOff) log.info('the clock of this machine is right again')
    } catch {
      // Postgres is down, which is reported elsewhere.
    }
  }

  /** Undefined if the answer took too long. */
  async #measure(): Promise<number | undefined> {
    const { machine, postgres } = this.#options
    const askedMs = machine()
    const postgresMs = await postgres()
    const tookMs = machine() - askedMs
    if (tookMs < 0 || tookMs > ANSWER_MS_MAX) return undefined
    return askedMs + tookMs / 2 - postgresMs
  }
}

export function describeClock(whose: 'this' | 'a worker’s', aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1)
  return `The clock of ${whose} machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} Postgres’s.`
}
