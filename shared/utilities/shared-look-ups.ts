// Look-ups whose results several callers share: callers in the same turn of the event loop, or callers with the same
// key.

export class BatchLoader<Value> {
  readonly #run: (keys: string[]) => Promise<Map<string, Value>>
  #pending: { keys: Set<string>; found: Promise<Map<string, Value>> } | undefined

  constructor(run: (keys: string[]) => Promise<Map<string, Value>>) {
    this.#run = run
  }

  async ask(key: string): Promise<Value | undefined> {
    this.#pending ??= this.#begin()
    const { keys, found } = this.#pending
    keys.add(key)
    return (await found).get(key)
  }

  #begin() {
    const keys = new Set<string>()
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#pending = undefined
      return this.#run([...keys])
    })
    return { keys, found }
  }
}

type LookUpRun<Value> = { startedMs: number; ended: Promise<void>; next?: Promise<Value> }

// The time after which a look-up counts as slow, so that new callers do not wait for it to end.
const SLOW_LOOK_UP_MS = 50

export class FreshSingleFlight<Value> {
  readonly #latest = new Map<string, LookUpRun<Value>>()

  /** Returns the result of a look-up that begins after this call. Callers with the same key share one look-up. */
  ask(key: string, run: () => Promise<Value>): Promise<Value> {
    const latest = this.#latest.get(key)
    if (!latest || Date.now() - latest.startedMs > SLOW_LOOK_UP_MS) return this.#begin(key, run)
    latest.next ??= latest.ended.then(() => this.#begin(key, run))
    return latest.next
  }

  #begin(key: string, run: () => Promise<Value>): Promise<Value> {
    const result = run()
    const startedRun: LookUpRun<Value> = {
      startedMs: Date.now(),
      ended: result.then(
        () => this.#forget(key, startedRun),
        () => this.#forget(key, startedRun),
      ),
    }
    this.#latest.set(key, startedRun)
    return result
  }

  #forget(key: string, run: LookUpRun<Value>) {
    if (!run.next && this.#latest.get(key) === run) this.#latest.delete(key)
  }
}
