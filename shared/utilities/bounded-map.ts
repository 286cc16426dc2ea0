// A map that forgets its oldest entry where it would grow too large: for what strangers may fill.
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /** The entry counts as the newest, also where there was one before. */
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
