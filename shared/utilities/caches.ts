// Caches that do not grow too large.

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

export class ByteCache {
  readonly #bytesMax: number
  readonly #values = new Map<string, Buffer>()
  readonly #loading = new Map<string, Promise<Buffer | undefined>>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  async get(key: string, load: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const known = this.#values.get(key)
    if (known) {
      this.#keep(key, known)
      return known
    }
    const loading = this.#loading.get(key) ?? this.#load(key, load)
    return loading
  }

  #load(key: string, load: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const loading = load()
      .then((value) => {
        if (value) this.#keep(key, value)
        return value
      })
      .finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading
  }

  // Moves the value to the end, so that the least recently used ones go first.
  #keep(key: string, value: Buffer) {
    this.#drop(key)
    if (value.length > this.#bytesMax) return
    this.#values.set(key, value)
    this.#bytes += value.length
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#drop(oldest)
    }
  }

  #drop(key: string) {
    this.#bytes -= this.#values.get(key)?.length ?? 0
    this.#values.delete(key)
  }
}
