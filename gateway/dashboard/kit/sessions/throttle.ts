// Lets attempts pass one at a time, at fixed intervals. The attempt with the fewest failures goes first; if
// too many wait, the one with the most is refused. So a few addresses that fail on purpose delay others, but
// do not keep them out.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'

// At most 180 in the 15 minutes for which failures count, and none waits longer than 20 seconds.
const EVERY_MS = 5_000
const WAITING_MAX = 4

type Waiting = { failures: number; pass(): void; refuse(error: Refusal): void }

export class Throttle {
  readonly #wait: (ms: number) => Promise<void>
  readonly #waiting: Waiting[] = []
  #isRunning = false

  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait
  }

  pass(failures: number): Promise<void> {
    return new Promise((pass, refuse) => {
      this.#waiting.push({ failures, pass, refuse })
      if (this.#waiting.length > WAITING_MAX) this.#take((one, other) => one > other)?.refuse(tooMany())
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#wait(EVERY_MS)
      this.#take((one, other) => one < other)?.pass()
    }
    this.#isRunning = false
  }

  // If several have the same number, the first to arrive goes first, and the last is refused.
  #take(isBefore: (failures: number, other: number) => boolean): Waiting | undefined {
    const ordered = isBefore(1, 2) ? this.#waiting : this.#waiting.toReversed()
    const [first] = ordered
    const chosen = ordered.reduce(
      (best, each) => (isBefore(each.failures, (best ?? each).failures) ? each : best),
      first,
    )
    if (chosen) this.#waiting.splice(this.#waiting.indexOf(chosen), 1)
    return chosen
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    message`Too many failed sign-in attempts for this account. Try again shortly, or use a browser in which you have signed in before.`,
    { headers: { 'Retry-After': String(EVERY_MS / 1000) } },
  )
}
