// How many may be under way at once, learnt from how long they take. While they end soon enough there is room for many at
// once; while they take too long, no more are let in than end in the time that one should take (Little's law). Whoever does
// not get in waits for nothing.

type Options = {
  max: number
  /** What one should take at most, all in all. */
  targetMs: number
  /** Nothing ends any sooner for what is let in now: the process itself cannot keep up. */
  isHeldUp?: () => boolean
  now?: () => number
}

const LOOK_EVERY_MS = 500
const GROWTH = 1.25
// It never closes altogether: what takes long may wait for somebody, and not for its turn.
const LEAST_SHARE = 0.1

export class AdaptiveLimit {
  readonly #max: number
  readonly #targetMs: number
  readonly #min: number
  readonly #isHeldUp: () => boolean
  readonly #now: () => number
  #current: number
  #underWay = 0
  #lookedMs: number
  /** Since the last look. */
  #ended = 0
  #tookMs = 0

  constructor({ max, targetMs, isHeldUp = () => false, now = () => performance.now() }: Options) {
    this.#max = max
    this.#min = Math.max(1, Math.round(max * LEAST_SHARE))
    this.#isHeldUp = isHeldUp
    this.#targetMs = targetMs
    this.#now = now
    this.#current = max
    this.#lookedMs = now()
  }

  get current(): number {
    return this.#isHeldUp() ? this.#min : this.#current
  }

  get underWay(): number {
    return this.#underWay
  }

  get isReached(): boolean {
    return this.#underWay >= this.current
  }

  /** One more is under way, until the function that is returned is called. */
  begin(): () => void {
    const begunMs = this.#now()
    // Nothing is waiting any more: how long it took before says nothing of now.
    if (this.#underWay === 0) {
      this.#forget()
      this.#look(begunMs)
    }
    this.#underWay++
    return () => {
      const nowMs = this.#now()
      this.#underWay--
      this.#ended++
      this.#tookMs += nowMs - begunMs
      this.#look(nowMs)
    }
  }

  #look(nowMs: number) {
    const elapsedMs = nowMs - this.#lookedMs
    if (elapsedMs < LOOK_EVERY_MS) return
    const endedInTime = (this.#ended / elapsedMs) * this.#targetMs
    const isSlow = this.#ended > 0 && this.#tookMs / this.#ended > this.#targetMs
    const next = isSlow ? endedInTime : this.#current * GROWTH ** Math.floor(elapsedMs / LOOK_EVERY_MS)
    this.#current = Math.round(Math.min(this.#max, Math.max(this.#min, next)))
    this.#lookedMs = nowMs
    this.#forget()
  }

  #forget() {
    this.#ended = 0
    this.#tookMs = 0
  }
}
