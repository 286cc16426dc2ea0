// A short-lived cache for what many users view, in this process only.
import { BoundedMap } from '../../../../shared/utilities/caches.ts'
import type { Services } from '../../../server/services/services.ts'

type Found<Value> = { value: Promise<Value>; askedMs: number; isPending: boolean }

const KEYS_MAX = 100

/** Concurrent callers share one lookup. Failures are not cached. */
export class TtlCache<Value> {
  readonly #cachedMs: number
  readonly #entries = new WeakMap<Services, BoundedMap<Found<Value>>>()

  constructor(cachedMs: number) {
    this.#cachedMs = cachedMs
  }

  find(services: Services, key: string, find: () => Promise<Value>): Found<Value> {
    const found = this.#entriesOf(services).get(key)
    if (found && (found.isPending || Date.now() - found.askedMs < this.#cachedMs)) return found
    return this.refresh(services, key, find)
  }

  /** For callers who need the current value. Later callers share it. */
  refresh(services: Services, key: string, find: () => Promise<Value>): Found<Value> {
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

  #entriesOf(services: Services): BoundedMap<Found<Value>> {
    const entries = this.#entries.get(services) ?? new BoundedMap(KEYS_MAX)
    this.#entries.set(services, entries)
    return entries
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
