// How long this process takes for a turn of its event loop: whoever comes waits so long before anything is done for them,
// and nothing in here sees them wait. It is long where the process has more to do than its processor can.

const LOOK_EVERY_MS = 250

export class LoopDelay {
  readonly #timer: NodeJS.Timeout
  #dueMs = performance.now() + LOOK_EVERY_MS
  #lastMs = 0

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  /** As it was found last. */
  get ms(): number {
    return this.#lastMs
  }

  stop() {
    clearInterval(this.#timer)
  }

  #look() {
    const nowMs = performance.now()
    this.#lastMs = Math.max(0, nowMs - this.#dueMs)
    this.#dueMs = nowMs + LOOK_EVERY_MS
  }
}
