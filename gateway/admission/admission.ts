// Who may begin while there is too much to do. A gateway process has so many writes (and reads) under way as end in time, each
// token its share of them; as many again wait for a moment, and what comes beyond that is refused before anything was done for it.
import type { Actor } from '../../shared/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/refusal.ts'
import { AdaptiveLimit } from './adaptive-limit.ts'
import { FairLimit } from './fair-limit.ts'

export type AdmissionKind = 'writes' | 'reads'

/** All requests without a token of their own, which share one share. */
export const OPEN = 'open'

export function ownerOf(caller: Pick<Actor, 'type' | 'id'> | undefined): string {
  return caller ? `${caller.type} ${caller.id}` : OPEN
}

// Under load they take so long on the average, once they have begun. Where nothing waits, a read takes some 5 ms, a write 10.
const TARGET_MS: Record<AdmissionKind, number> = { writes: 500, reads: 250 }
// As many as are under way wait as long as those take, on the average. Longer only while all stands still: a refusal comes within
// 2.5 s.
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

  /** It is lower than what was set while they take too long. */
  get limit(): number {
    return this.#adaptive.current
  }

  /** Refuses where there is no room for this owner: to be asked before a request costs anything. */
  requireRoom(findOwner: () => string) {
    if (this.#fair.isFull && this.#fair.isFullFor(findOwner())) throw this.#refusal()
  }

  /** `weight` says how many ordinary ones the work is like. */
  async admit<Result>(owner: string, work: () => Promise<Result>, weight = 1): Promise<Result> {
    const giveBack = await this.#fair.take({ owner, weight, waitMs: this.#waitMs })
    if (!giveBack) throw this.#refusal()
    const end = this.#adaptive.begin(weight)
    try {
      return await work()
    } finally {
      end()
      giveBack()
    }
  }

  #refusal(): Refusal {
    return new Refusal(
      'unavailable',
      message`Too many ${this.#kind} are waiting. Nothing was changed; try again shortly.`,
      { reason: `${this.#kind}_overload` },
    )
  }
}
