// Decides which requests may start under overload. A gateway process runs as many writes (and reads) at once
// as finish in time, shared fairly between tokens. As many again wait for a moment; the rest are refused
// before any work is done for them.
import type { Actor } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import { AdaptiveLimit } from './adaptive-limit.ts'
import { FairLimit } from './fair-limit.ts'
import { unavailable } from './refusals.ts'

export type AdmissionKind = 'writes' | 'reads'

/** The owner of all requests without a token, which have one share together. */
export const OPEN = 'open'

export function ownerOf(caller: Pick<Actor, 'type' | 'id'> | undefined): string {
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
  readonly #fair: FairLimit

  /** At most `max` are under way, and as many wait. */
  constructor(kind: AdmissionKind, max: number, isBehind: () => boolean) {
    const targetMs = TARGET_MS[kind]
    this.#kind = kind
    this.#waitMs = WAIT_TARGETS_MAX * targetMs
    this.#adaptive = new AdaptiveLimit({ max, targetMs, isBehind })
    this.#fair = new FairLimit({
      max: () => this.limit,
      waitingMax: () => (isBehind() ? 0 : this.limit),
    })
  }

  get underWay(): number {
    return this.#fair.underWay
  }

  get waiting(): number {
    return this.#fair.waiting
  }

  /** Lower than the configured limit while requests take too long. */
  get limit(): number {
    return this.#adaptive.current
  }

  /** Refuses a request if there is no room for its owner. Call it before the request costs anything. */
  requireCapacity(findOwner: () => string) {
    if (this.#fair.isFull && this.#fair.isFullFor(findOwner())) throw this.#refusal()
  }

  /** `weight` says how many ordinary requests the work equals. */
  async admit<Result>(owner: string, work: () => Promise<Result>, weight = 1): Promise<Result> {
    const release = await this.#fair.take({ owner, weight, waitMs: this.#waitMs })
    if (!release) throw this.#refusal()
    const end = this.#adaptive.begin(weight)
    try {
      return await work()
    } finally {
      end()
      release()
    }
  }

  #refusal(): Refusal {
    const detail = message`Too many ${this.#kind} are waiting. Nothing was changed; try again shortly.`
    return unavailable(`${this.#kind}_overload`, detail)
  }
}
