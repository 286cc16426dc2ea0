// Limits how much work is under way at once, based on how long it takes. The limit grows while work finishes
// in time; while work takes too long, the limit is what finishes within the target time (Little's law).

type Options = {
  max: number
  /** How long one unit of work should take at most, on average. */
  targetMs: number
  /** Whether the process itself cannot keep up, so that starting more work finishes nothing sooner. */
  isBehind?: () => boolean
  now?: () => number
}

const ADJUST_EVERY_MS = 500
const GROWTH = 1.25
// A pause of a second, of this process or another, says nothing about throughput. So the best of the last
// looks counts; one look lowers the limit by this factor at most, and only if at least this share of it was
// used.
const RATES_KEPT = 6
const DECREASE_MAX = 0.5
// The limit never closes completely: slow work may be waiting for something other than its turn.
const LEAST_SHARE = 0.1

export class AdaptiveLimit {
  readonly #options: Required<Options>
  readonly #min: number
  #current: number
  #underWay = 0
  /** The most that was under way at once since the last look. */
  #peak = 0
  #adjustedMs: number
  /** How much finished per millisecond, for each of the last looks. */
  #rates: number[] = []
  /** Since the last look. */
  #ended = 0
  #tookMs = 0

  constructor({ max, targetMs, isBehind = () => false, now = () => performance.now() }: Options) {
    this.#options = { max, targetMs, isBehind, now }
    this.#min = Math.max(1, Math.round(max * LEAST_SHARE))
    this.#current = max
    this.#adjustedMs = now()
  }

  get current(): number {
    return this.#options.isBehind() ? this.#min : this.#current
  }

  /**
   * Counts one more as under way until the returned function is called. `weight` says how many ordinary ones
   * it equals.
   */
  begin(weight = 1): () => void {
    const begunMs = this.#options.now()
    // Nothing was under way until now, so earlier durations say nothing about the present.
    if (this.#underWay === 0) {
      this.#forget()
      this.#adjust(begunMs)
    }
    this.#underWay += weight
    this.#peak = Math.max(this.#peak, this.#underWay)
    return () => {
      const nowMs = this.#options.now()
      this.#underWay -= weight
      this.#ended += weight
      this.#tookMs += weight * (nowMs - begunMs)
      this.#adjust(nowMs)
    }
  }

  #adjust(nowMs: number) {
    const elapsedMs = nowMs - this.#adjustedMs
    if (elapsedMs < ADJUST_EVERY_MS) return
    this.#rates = [this.#ended / elapsedMs, ...this.#rates].slice(0, RATES_KEPT)
    const next = this.#isSlow()
      ? this.#lowered()
      : this.#current * GROWTH ** Math.floor(elapsedMs / ADJUST_EVERY_MS)
    this.#current = Math.round(Math.min(this.#options.max, Math.max(this.#min, next)))
    this.#adjustedMs = nowMs
    this.#forget()
  }

  #isSlow(): boolean {
    return this.#ended > 0 && this.#tookMs / this.#ended > this.#options.targetMs
  }

  #lowered(): number {
    const least = this.#current * DECREASE_MAX
    if (this.#peak < least) return this.#current
    return Math.min(this.#current, Math.max(Math.max(...this.#rates) * this.#options.targetMs, least))
  }

  #forget() {
    this.#ended = 0
    this.#tookMs = 0
    this.#peak = this.#underWay
  }
}
