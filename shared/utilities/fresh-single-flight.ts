// A question that many ask at the same moment, and whose answer must not be older than the question: what is under way may
// have looked before, so whoever comes meanwhile waits for the run after it, together with all the others.

type Run<Value> = { startedMs: number; ended: Promise<void>; next?: Promise<Value> }

// Nobody waits behind a run that hangs.
const SLOW_MS = 50

export class FreshSingleFlight<Value> {
  readonly #latest = new Map<string, Run<Value>>()

  /** The result of a run that begins from now on, of whoever asked for the same key. */
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
