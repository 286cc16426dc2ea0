// Who is let in while there is too much to do: so many of a kind are under way in a process, and whoever comes beyond that
// is refused at once, before anything was done for them. Waiting would help nobody: what waits too long is called off.
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/refusal.ts'
import { AdaptiveLimit } from '../../shared/utilities/adaptive-limit.ts'

export type AdmissionKind = 'writes' | 'reads'

// Under load their answers take so long on the average. Where nothing waits, a read takes some 5 ms, a write 10.
const TARGET_MS: Record<AdmissionKind, number> = { writes: 500, reads: 250 }

export class Admission {
  readonly #kind: AdmissionKind
  readonly #limit: AdaptiveLimit

  /** What comes now waits for `delayMs` before anything is done for it. */
  constructor(kind: AdmissionKind, max: number, delayMs: () => number) {
    this.#kind = kind
    const targetMs = TARGET_MS[kind]
    this.#limit = new AdaptiveLimit({ max, targetMs, isHeldUp: () => delayMs() > targetMs })
  }

  get underWay(): number {
    return this.#limit.underWay
  }

  /** It is lower than what was set while they take too long. */
  get limit(): number {
    return this.#limit.current
  }

  /** Refuses where there is none: to be asked before a request costs anything. */
  requireRoom() {
    if (!this.#limit.isReached) return
    throw new Refusal(
      'unavailable',
      message`Too many ${this.#kind} are waiting. Nothing was changed; try again shortly.`,
      { reason: `${this.#kind}_overload` },
    )
  }

  async admit<Result>(work: () => Promise<Result>): Promise<Result> {
    this.requireRoom()
    const end = this.#limit.begin()
    try {
      return await work()
    } finally {
      end()
    }
  }
}
