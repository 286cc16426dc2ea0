// A short-lived cache for content that many users view. It is local to this process.
import { BoundedMap } from '../../../../shared/utilities/caches.ts'
import type { Services } from '../../../server/services/services.ts'

type CachedValue<Value> = { value: Promise<Value>; askedMs: number; isPending: boolean }

const CACHED_KEYS_MAX = 100

/** A cache in which concurrent callers share one look-up. Failures are not cached. */
export class TtlCache<Value> {
  readonly #cachedMs: number
  readonly #entries = new WeakMap<Services, BoundedMap<CachedValue<Value>>>()

  constructor(cachedMs: number) {
    this.#cachedMs = cachedMs
  }

  find(services: Services, key: string, find: () => Promise<Value>): CachedValue<Value> {
    const found = this.#entriesOf(services).get(key)
    if (found && (found.isPending || Date.now() - found.askedMs < this.#cachedMs)) return found
    return this.refresh(services, key, find)
  }

  /** Looks up the value again, for callers who need the current one. Later callers share the new value. */
  refresh(services: Services, key: string, find: () => Promise<Value>): CachedValue<Value> {
    const entries = this.#entriesOf(services)
    const fresh = { askedMs: Date.now(), value: find(), isPending: true }
    entries.set(key, fresh)
    const forget = () => entries.get(key) === fresh && entries.delete(key)
    fresh.value.then(() => {
      fresh.isPending = false
      // Releases values that nobody views any more.
      setTimeout(forget, this.#cachedMs).unref()
    }, forget)
    return fresh
  }

  #entriesOf(services: Services): BoundedMap<CachedValue<Value>> {
    const entries = this.#entries.get(services) ?? new BoundedMap(CACHED_KEYS_MAX)
    this.#entries.set(services, entries)
    return entries
  }
}

/** A cache for a single value. */
export function createCacheFor<Value>(
  cachedMs: number,
  find: (services: Services) => Promise<Value>,
): (services: Services) => Promise<Value> {
  const cache = new TtlCache<Value>(cachedMs)
  return (services) => cache.find(services, '', () => find(services)).value
}
