// A short-lived cache for what many users view, in this process only.
import { BoundedMap } from '../../../shared/utilities/bounded-map.ts'
import type { Services } from '../../services.ts'

type Found<Value> = { value: Promise<Value>; askedMs: number; isPending: boolean }

const KEYS_MAX = 100

/** Concurrent callers share one lookup. Failures are not cached. */
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

  /** For callers who need the current value. Later callers share it. */
  findAnew(services: Services, key: string, find: () => Promise<Value>): Found<Value> {
    const known = this.#knownTo(services)
    const fresh = { askedMs: Date.now(), value: find(), isPending: true }
    known.set(key, fresh)
    const forget = () => known.get(key) === fresh && known.delete(key)
    fresh.value.then(() => {
      fresh.isPending = false
      // Releases values that nobody views any more.
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

/** The same for a single value. */
export function cacheFor<Value>(
  cachedMs: number,
  find: (services: Services) => Promise<Value>,
): (services: Services) => Promise<Value> {
  const cache = new TtlCache<Value>(cachedMs)
  return (services) => cache.find(services, '', () => find(services)).value
}
