// Decides which requests may start under overload. A gateway process runs as many writes (and reads) at once
// as finish in time, and shares them fairly between tokens. The same number of requests may wait for a
// moment. All other requests are refused before any work is done for them.
import type { Actor } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { FairLimit } from './fair-limit.ts'
import { serviceUnavailable } from './refusals.ts'

type AdmissionKind = 'writes' | 'reads'

export type AdmittedCaller = Pick<Actor, 'type' | 'id'>

/** The owner of all requests without a token, which share one quota. */
export const NO_TOKEN_OWNER = 'open'

export function findQuotaOwner(caller: AdmittedCaller | undefined): string {
  return caller ? `${caller.type} ${caller.id}` : NO_TOKEN_OWNER
}

// How long requests should take on average under load, once started. When the gateway is idle, a read takes some 5 ms
// and a write 10 ms.
const TARGET_MS: Record<AdmissionKind, number> = { writes: 500, reads: 250 }
// How long a request may wait, as a multiple of its target time. The queue is as long as the limit, so
// normally a request waits about as long as one request takes. They wait longer only if nothing finishes; a
// refusal comes within 2.5 s.
const WAIT_PER_TARGET_MAX = 4

export class Admission {
  readonly #kind: AdmissionKind
  readonly #waitMs: number
  readonly #adaptive: AdaptiveLimit
  readonly fair: FairLimit

  /** At most `max` requests run at once, and as many wait. */
  constructor(kind: AdmissionKind, max: number, isBehind: () => boolean) {
    const targetMs = TARGET_MS[kind]
    this.#kind = kind
    this.#waitMs = WAIT_PER_TARGET_MAX * targetMs
    this.#adaptive = new AdaptiveLimit({ max, targetMs, isBehind })
    const waitingMax = () => (isBehind() ? 0 : this.limit)
    this.fair = new FairLimit({ max: () => this.limit, waitingMax })
  }

  /** The current limit, which is lower than the configured one while requests take too long. */
  get limit(): number {
    return this.#adaptive.current
  }

  /** Refuses a request if there is no room for its owner. Call this before doing any work for the request. */
  requireCapacity(findOwner: () => string) {
    if (this.fair.isFull && this.fair.isFullFor(findOwner())) throw this.#refusal()
  }

  /** Runs the work once there is room. `weight` says how many ordinary requests the work counts as. */
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
    return serviceUnavailable(`${this.#kind}_overload`, detail)
  }
}

type AdaptiveLimitOptions = {
  max: number
  targetMs: number
  /** Returns whether the process itself cannot keep up, so that starting more requests would not finish any sooner. */
  isBehind?: () => boolean
  now?: () => number
}

const ADJUST_EVERY_MS = 500
const LIMIT_GROWTH_FACTOR = 1.25
// A one-second pause of this process or another one says nothing about throughput, so the limit uses the best
// of the last measurements. One measurement lowers the limit by at most this factor, and only if at least
// this share of the limit was used.
const RATES_KEPT_MAX = 6
const LIMIT_DECREASE_FACTOR = 0.5
// The minimum of the limit, as a share of the maximum: slow work may be waiting for something else than this process.
const LIMIT_SHARE_MIN = 0.1

/** A limit that grows while work finishes in time. If work takes too long, the limit is the number of
 * requests that finish within the target time (Little's law). */
export class AdaptiveLimit {
  readonly #options: Required<AdaptiveLimitOptions>
  readonly #min: number
  #current: number
  #underWay = 0
  /** The maximum number of requests that ran at once since the last measurement. */
  #peak = 0
  #adjustedMs: number
  /** Requests finished per millisecond, in each of the last measurements. */
  #rates: number[] = []
  #ended = 0
  #tookMs = 0

  constructor({
    max,
    targetMs,
    isBehind = () => false,
    now = () => performance.now(),
  }: AdaptiveLimitOptions) {
    this.#options = { max, targetMs, isBehind, now }
    this.#min = Math.max(1, Math.round(max * LIMIT_SHARE_MIN))
    this.#current = max
    this.#adjustedMs = now()
  }

  get current(): number {
    return this.#options.isBehind() ? this.#min : this.#current
  }

  /** Counts work as running until the caller calls the returned function. `weight` says how many ordinary
   * requests the work counts as. */
  begin(weight = 1): () => void {
    const begunMs = this.#options.now()
    // Forgets earlier durations: if nothing was running until now, they say nothing about the present load.
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
    this.#rates = [this.#ended / elapsedMs, ...this.#rates].slice(0, RATES_KEPT_MAX)
    const isSlow = this.#ended > 0 && this.#tookMs / this.#ended > this.#options.targetMs
    const next = isSlow
      ? this.#lowered()
      : this.#current * LIMIT_GROWTH_FACTOR ** Math.floor(elapsedMs / ADJUST_EVERY_MS)
    this.#current = Math.round(Math.min(this.#options.max, Math.max(this.#min, next)))
    this.#adjustedMs = nowMs
    this.#forget()
  }

  #lowered(): number {
    const least = this.#current * LIMIT_DECREASE_FACTOR
    if (this.#peak < least) return this.#current
    return Math.min(this.#current, Math.max(Math.max(...this.#rates) * this.#options.targetMs, least))
  }

  #forget() {
    this.#ended = 0
    this.#tookMs = 0
    this.#peak = this.#underWay
  }
}
