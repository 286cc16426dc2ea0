// The clock that deadlines use. Normally it is this machine's clock, which is regularly compared with Postgres's clock.
// If the two differ too much, deadlines use Postgres's clock, which all processes share. Otherwise, a worker whose
// clock is ahead would skip every job, and all jobs of a gateway whose clock is behind would be skipped.
import type { Log } from './log.ts'

export const COMPARE_EVERY_MS = 15_000
// The limit on the difference between two clocks. Deadlines tolerate such a difference.
const CLOCK_DIFFERENCE_MS_MAX = 1_000
// The limit on how long Postgres may take to report its clock. Slower results are not used, because nobody knows when
// in that time Postgres read its clock.
const ANSWER_MS_MAX = 1_000

type ClockOptions = {
  /** Reads this machine's clock. Tests pass their own clock. */
  machine: () => number
  /** Reads Postgres's clock, also in milliseconds. */
  postgres: () => Promise<number>
  log: Log
  /** Called after every comparison that finds this machine's clock wrong. */
  onWrong?: (aheadMs: number) => void
}

/** A statement that returns one row, with the time of Postgres's clock as `ms`. */
export const CLOCK_SQL = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

export class Clock {
  /** Resolves once the clocks have been compared, or once the comparison has failed. */
  readonly compared: Promise<void>
  readonly #options: ClockOptions
  readonly #timer: NodeJS.Timeout
  #aheadMs = 0

  constructor(options: ClockOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#compare(), COMPARE_EVERY_MS).unref()
    this.compared = this.#compare()
  }

  now(): number {
    return this.#options.machine() - (this.#isOff ? this.#aheadMs : 0)
  }

  /** Describes what is wrong with this machine's clock. Returns undefined if the clock is right. */
  describe(): string | undefined {
    return this.#isOff ? describeClock('this', this.#aheadMs) : undefined
  }

  stop() {
    clearInterval(this.#timer)
  }

  get #isOff(): boolean {
    return Math.abs(this.#aheadMs) > CLOCK_DIFFERENCE_MS_MAX
  }

  async #compare(): Promise<void> {
    const { log, onWrong } = this.#options
    try {
      // The first query also has to open its connection. This may take longer than the limit, so the clock may need a
      // second measurement.
      const aheadMs = (await this.#measure()) ?? (await this.#measure())
      if (aheadMs === undefined) return
      const wasOff = this.#isOff
      this.#aheadMs = aheadMs
      if (this.#isOff && !wasOff) log.warn({ aheadMs: Math.round(this.#aheadMs) }, this.describe())
      if (this.#isOff) onWrong?.(this.#aheadMs)
      if (wasOff && !this.#isOff) log.info('the clock of this machine is right again')
    } catch {
      // If Postgres is down, other code reports that.
    }
  }

  /** Measures how far this machine's clock is ahead of Postgres's. Returns undefined if Postgres took too long. */
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
