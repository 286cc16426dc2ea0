// A cache of a moment for what many look at, in this process only.
import type { Services } from '../../services.ts'

type Cached<Value> = { value: Promise<Value>; askedMs: number }

/** Whoever asks while it is being found out waits for the same answer. A failure is not cached. */
export function cacheFor<Value>(
  cachedMs: number,
  find: (services: Services) => Promise<Value>,
): (services: Services) => Promise<Value> {
  const known = new WeakMap<Services, Cached<Value>>()
  return (services) => {
    const cached = known.get(services)
    if (cached && Date.now() - cached.askedMs < cachedMs) return cached.value
    const fresh = { value: find(services), askedMs: Date.now() }
    known.set(services, fresh)
    fresh.value.catch(() => known.get(services) === fresh && known.delete(services))
    return fresh.value
  }
}
