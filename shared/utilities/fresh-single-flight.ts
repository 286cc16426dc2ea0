// Shares one run between callers with the same question, whose answer must not be older than the question. A
// run that is under way may have looked too early, so callers that arrive meanwhile share the run after it.

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
