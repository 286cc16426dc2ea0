// Combines look-ups of different keys that are made in the same turn of the event loop: one statement instead
// of dozens.

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
