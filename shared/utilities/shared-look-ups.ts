// Look-ups that callers share: those of the same turn of the event loop, or of the same question.

export class BatchLoader<Value> {
  readonly #run: (keys: string[]) => Promise<Map<string, Value>>
  #gathering: { keys: Set<string>; found: Promise<Map<string, Value>> } | undefined

  constructor(run: (keys: string[]) => Promise<Map<string, Value>>) {
    this.#run = run
  }

  async ask(key: string): Promise<Value | undefined> {
    this.#gathering ??= this.#begin()
    const { keys, found } = this.#gathering
    keys.add(key)
    return (await found).get(key)
  }

  #begin() {
    const keys = new Set<string>()
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#gathering = undefined
      return this.#run([...keys])
    })
    return { keys, found }
  }
}

type Run<Value> = { startedMs: number; ended: Promise<void>; next?: Promise<Value> }

// No caller waits behind a run that hangs.
const SLOW_MS = 50

export class FreshSingleFlight<Value> {
  readonly #latest = new Map<string, Run<Value>>()

  /** The result of a run that begins after this call, shared by all callers with the same key. */
  ask(key: string, run: () => Promise<Value>): Promise<Value> {
    const latest = this.#latest.get(key)
    if (!latest || Date.now() - latest.startedMs > SLOW_MS) return this.#begin(key, run)
    latest.next ??= latest.ended.then(() => this.#begin(key, run))
    return latest.next
  }

  #begin(key: string, run: () => Promise<Value>): Promise<Value> {
    const result = run()
    const begun: Run<Value> = {
      startedMs: Date.now(),
      ended: result.then(
        () => this.#forget(key, begun),
        () => this.#forget(key, begun),
      ),
    }
    this.#latest.set(key, begun)
    return result
  }

  #forget(key: string, run: Run<Value>) {
    if (!run.next && this.#latest.get(key) === run) this.#latest.delete(key)
  }
}
