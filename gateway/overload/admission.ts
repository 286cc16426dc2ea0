// Decides which requests may start under overload. A gateway process runs as many writes (and reads) at once
// as finish in time, shared fairly between tokens. As many again wait for a moment; the rest are refused
// before any work is done for them.
import type { Actor } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { FairLimit } from './fair-limit.ts'
import { unavailable } from './refusals.ts'

type AdmissionKind = 'writes' | 'reads'

export type Caller = Pick<Actor, 'type' | 'id'>

/** The owner of all requests without a token, which have one share together. */
export const OPEN = 'open'

export function ownerOf(caller: Caller | undefined): string {
  return caller ? `${caller.type} ${caller.id}` : OPEN
}

// How long they should take on average under load, once started. Without waiting, a read takes some 5 ms, a
// write 10.
const TARGET_MS: Record<AdmissionKind, number> = { writes: 500, reads: 250 }
// As many wait as are under way, on average for as long as those take. They wait longer only while nothing
// finishes at all; a refusal comes within 2.5 s.
const WAIT_TARGETS_MAX = 4

export class Admission {
  readonly #kind: AdmissionKind
  readonly #waitMs: number
  readonly #adaptive: AdaptiveLimit
  readonly fair: FairLimit

  /** At most `max` are under way, and as many wait. */
  constructor(kind: AdmissionKind, max: number, isBehind: () => boolean) {
    const targetMs = TARGET_MS[kind]
    this.#kind = kind
    this.#waitMs = WAIT_TARGETS_MAX * targetMs
    this.#adaptive = new AdaptiveLimit({ max, targetMs, isBehind })
    const waitingMax = () => (isBehind() ? 0 : this.limit)
    this.fair = new FairLimit({ max: () => this.limit, waitingMax })
  }

  /** Lower than the configured limit while requests take too long. */
  get limit(): number {
    return this.#adaptive.current
  }

  /** Refuses a request if there is no room for its owner. Call it before the request costs anything. */
  requireCapacity(findOwner: () => string) {
    if (this.fair.isFull && this.fair.isFullFor(findOwner())) throw this.#refusal()
  }

  /** `weight` says how many ordinary requests the work equals. */
  async admit<Result>(owner: string, work: () => Promise<Result>, weight = 1): Promise<Result> {
    const taken = this.fair.take({ owner, weight, waitMs: this.#waitMs })
    const release = taken instanceof Promise ? await taken : taken
    if (!release) throw this.#refusal()
    const end = this.#adaptive.begin(weight)
    try {
      return await work()
    } finally {
      end()
      release()
    }
  }

  #refusal() {
    const detail = message`Too many ${this.#kind} are waiting. Nothing was changed; try again shortly.`
    return unavailable(`${this.#kind}_overload`, detail)
  }
}

type Options = {
  max: number
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

/** Grows while work finishes in time; otherwise it is what finishes within the target (Little's law). */
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

  /** Counts one more as under way until the returned function is called; `weight`: as so many ordinary ones. */
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
    const isSlow = this.#ended > 0 && this.#tookMs / this.#ended > this.#options.targetMs
    const next = isSlow ? this.#lowered() : this.#current * GROWTH ** Math.floor(elapsedMs / ADJUST_EVERY_MS)
    this.#current = Math.round(Math.min(this.#options.max, Math.max(this.#min, next)))
    this.#adjustedMs = nowMs
    this.#forget()
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
