// How many may be under way at once, learnt from how long they take. While they end soon enough there is room for many; while
// they take too long, there is room for as many as end in the time that one should take (Little's law).

type Options = {
  max: number
  /** How long one should take at most, on the average. */
  targetMs: number
  /** Nothing ends any sooner for what begins now: the process itself cannot keep up. */
  isBehind?: () => boolean
  now?: () => number
}

const LOOK_EVERY_MS = 500
const GROWTH = 1.25
// A pause of a second, of this process or of another, says nothing of what is done in one. So the best of some looks counts,
// none of them lowers the limit by more than this, and none at all while less than this part of it is used.
const LOOKS_KEPT = 6
const DECREASE_MAX = 0.5
// It never closes altogether: what takes long may wait for something else than its turn.
const LEAST_SHARE = 0.1

export class AdaptiveLimit {
  readonly #max: number
  readonly #targetMs: number
  readonly #min: number
  readonly #isBehind: () => boolean
  readonly #now: () => number
  #current: number
  #underWay = 0
  /** The most that was under way since the last look. */
  #peak = 0
  #lookedMs: number
  /** How much ended in a millisecond, of the last looks. */
  #rates: number[] = []
  /** Since the last look. */
  #ended = 0
  #tookMs = 0

  constructor({ max, targetMs, isBehind = () => false, now = () => performance.now() }: Options) {
    this.#max = max
    this.#min = Math.max(1, Math.round(max * LEAST_SHARE))
    this.#targetMs = targetMs
    this.#isBehind = isBehind
    this.#now = now
    this.#current = max
    this.#lookedMs = now()
  }

  get current(): number {
    return this.#isBehind() ? this.#min : this.#current
  }

  /** One more is under way, which is like `weight` ordinary ones, until the function that is returned is called. */
  begin(weight = 1): () => void {
    const begunMs = this.#now()
    // Nothing is under way any more: how long it took before says nothing of now.
    if (this.#underWay === 0) {
      this.#forget()
      this.#look(begunMs)
    }
    this.#underWay += weight
    this.#peak = Math.max(this.#peak, this.#underWay)
    return () => {
      const nowMs = this.#now()
      this.#underWay -= weight
      this.#ended += weight
      this.#tookMs += weight * (nowMs - begunMs)
      this.#look(nowMs)
    }
  }

  #look(nowMs: number) {
    const elapsedMs = nowMs - this.#lookedMs
    if (elapsedMs < LOOK_EVERY_MS) return
    this.#rates = [this.#ended / elapsedMs, ...this.#rates].slice(0, LOOKS_KEPT)
    const next = this.#isSlow()
      ? this.#lowered()
      : this.#current * GROWTH ** Math.floor(elapsedMs / LOOK_EVERY_MS)
    this.#current = Math.round(Math.min(this.#max, Math.max(this.#min, next)))
    this.#lookedMs = nowMs
    this.#forget()
  }

  #isSlow(): boolean {
    return this.#ended > 0 && this.#tookMs / this.#ended > this.#targetMs
  }

  #lowered(): number {
    const least = this.#current * DECREASE_MAX
    if (this.#peak < least) return this.#current
    return Math.min(this.#current, Math.max(Math.max(...this.#rates) * this.#targetMs, least))
  }

  #forget() {
    this.#ended = 0
    this.#tookMs = 0
    this.#peak = this.#underWay
  }
}
