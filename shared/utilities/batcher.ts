// Collects items while an earlier batch is under way, and then starts them together as the next batch. Under load, a batch of many
// items costs little more than a single item. If no batch is under way, an item starts at once.

type BatcherOptions<Item> = {
  sizeMax: number
  /** A batch that takes longer than this does not hold back the next one, so that slow work does not delay other work. */
  slowMs: number
  /** Starts a batch. Calls `end` when the next batch may start. */
  start(items: Item[], end: () => void): void
}

export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>
  readonly #waiting: Item[] = []
  #isUnderWay = false

  constructor(options: BatcherOptions<Item>) {
    this.#options = options
  }

  add(items: Item[]) {
    this.#waiting.push(...items)
    this.#startNext()
  }

  #startNext() {
    if (this.#isUnderWay || this.#waiting.length === 0) return
    const { sizeMax, slowMs, start } = this.#options
    this.#isUnderWay = true
    let isWaitedFor = true
    const end = () => {
      if (!isWaitedFor) return
      isWaitedFor = false
      clearTimeout(timer)
      this.#isUnderWay = false
      this.#startNext()
    }
    const timer = setTimeout(end, slowMs)
    start(this.#waiting.splice(0, sizeMax), end)
  }
}
