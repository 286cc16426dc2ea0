// Caches with a limited size.

export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #sizeMax: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  /**
   * Creates a cache for at most `sizeMax` entries. With `sizeOf`, `sizeMax` is the maximum sum of the entries' sizes.
   */
  constructor(sizeMax: number, sizeOf: (value: Value) => number = () => 1) {
    this.#sizeMax = sizeMax
    this.#sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /**
   * Makes this entry the newest, even if its key is already in the cache, and removes the oldest entries if the cache
   * is full.
   */
  set(key: string, value: Value) {
    this.delete(key)
    const size = this.#sizeOf(value)
    if (size > this.#sizeMax) return
    this.#entries.set(key, value)
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#sizeMax) return
      this.delete(oldest)
    }
  }

  delete(key: string) {
    const value = this.#entries.get(key)
    if (this.#entries.delete(key)) this.#size -= this.#sizeOf(value as Value)
  }
}

/** Caches the most recently used files in memory. Callers who need the same file at the same time share one load. */
export class ByteCache {
  readonly #values: BoundedMap<Buffer>
  readonly #loading = new Map<string, Promise<Buffer | undefined>>()

  constructor(bytesMax: number) {
    this.#values = new BoundedMap(bytesMax, ({ length }) => length)
  }

  async get(key: string, load: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const value = this.#values.get(key) ?? (await (this.#loading.get(key) ?? this.#load(key, load)))
    if (value) this.#values.set(key, value)
    return value
  }

  #load(key: string, load: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const loading = load().finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading
  }
}
