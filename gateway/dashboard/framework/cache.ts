// What many look at is found out once: kept for a moment, in this process only.
import type { Services } from '../../services.ts'

type Kept<Value> = { value: Promise<Value>; askedMs: number }

/** Whoever asks while it is being found out waits for the same answer. A failure is not kept. */
export function keptFor<Value>(
  keptMs: number,
  find: (services: Services) => Promise<Value>,
): (services: Services) => Promise<Value> {
  const known = new WeakMap<Services, Kept<Value>>()
  return (services) => {
    const kept = known.get(services)
    if (kept && Date.now() - kept.askedMs < keptMs) return kept.value
    const asked = { value: find(services), askedMs: Date.now() }
    known.set(services, asked)
    asked.value.catch(() => known.get(services) === asked && known.delete(services))
    return asked.value
  }
}
