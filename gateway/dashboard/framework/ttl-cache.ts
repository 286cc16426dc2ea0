// A cache of a moment for what many look at, in this process only.
import { BoundedMap } from '../../../shared/utilities/bounded-map.ts'
import type { Services } from '../../services.ts'

type Found<Value> = { value: Promise<Value>; askedMs: number; isPending: boolean }

const KEYS_MAX = 100

/** Whoever asks while it is being found out waits for the same answer. A failure is not cached. */
export class TtlCache<Value> {
  readonly #cachedMs: number
  readonly #known = new WeakMap<Services, BoundedMap<Found<Value>>>()

  constructor(cachedMs: number) {
    this.#cachedMs = cachedMs
  }

  find(services: Services, key: string, find: () => Promise<Value>): Found<Value> {
    const found = this.#knownTo(services).get(key)
    if (found && (found.isPending || Date.now() - found.askedMs < this.#cachedMs)) return found
    return this.findAnew(services, key, find)
  }

  /** For whoever must see what is there now; those who ask next share it. */
  findAnew(services: Services, key: string, find: () => Promise<Value>): Found<Value> {
    const known = this.#knownTo(services)
    const fresh = { askedMs: Date.now(), value: find(), isPending: true }
    known.set(key, fresh)
    const forget = () => known.get(key) === fresh && known.delete(key)
    fresh.value.then(() => {
      fresh.isPending = false
      // What nobody looks at any more is not held on to.
      setTimeout(forget, this.#cachedMs).unref()
    }, forget)
    return fresh
  }

  #knownTo(services: Services): BoundedMap<Found<Value>> {
    const known = this.#known.get(services) ?? new BoundedMap(KEYS_MAX)
    this.#known.set(services, known)
    return known
  }
}

/** The same for what there is only one of. */
export function cacheFor<Value>(
  cachedMs: number,
  find: (services: Services) => Promise<Value>,
): (services: Services) => Promise<Value> {
  const cache = new TtlCache<Value>(cachedMs)
  return (services) => cache.find(services, '', () => find(services)).value
}
