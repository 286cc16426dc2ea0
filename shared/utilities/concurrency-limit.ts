// Only so many at once. Whoever comes later waits for a place, first come, first served, and not for ever.
export class ConcurrencyLimit {
  readonly #max: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(max: number) {
    this.#max = max
  }

  get isIdle(): boolean {
    return this.#taken === 0
  }

  /** Takes a place, and returns what gives it back; undefined where none is free in time. */
  async take(waitMs: number): Promise<(() => void) | undefined> {
    if (this.#taken < this.#max) {
      this.#taken++
      return this.#giveBackOnce()
    }
    const isTaken = await new Promise<boolean>((resolve) => {
      const take = () => settle(true)
      const timer = setTimeout(() => settle(false), waitMs)
      const settle = (taken: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(take)
        resolve(taken)
      }
      this.#waiting.add(take)
    })
    return isTaken ? this.#giveBackOnce() : undefined
  }

  #giveBackOnce(): () => void {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      const [next] = this.#waiting
      if (next) next()
      else this.#taken--
    }
  }
}

/** A limit for each of many, by their keys. */
export class ConcurrencyLimits {
  readonly #max: number
  readonly #limits = new Map<string, ConcurrencyLimit>()

  constructor(max: number) {
    this.#max = max
  }

  async take(key: string, waitMs: number): Promise<(() => void) | undefined> {
    const limit = this.#limits.get(key) ?? new ConcurrencyLimit(this.#max)
    this.#limits.set(key, limit)
    const giveBack = await limit.take(waitMs)
    if (!giveBack) return undefined
    return () => {
      giveBack()
      if (limit.isIdle) this.#limits.delete(key)
    }
  }
}
