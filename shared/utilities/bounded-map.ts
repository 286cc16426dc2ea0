// A map that drops its oldest entry instead of growing too large: for data that strangers can fill.
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /** The entry becomes the newest, even if its key was there before. */
  set(key: string, value: Value) {
    this.#entries.delete(key)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#sizeMax && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, value)
  }

  delete(key: string) {
    this.#entries.delete(key)
  }
}
