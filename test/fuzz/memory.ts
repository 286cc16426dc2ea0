// Checks that memory does not grow: measures it regularly after garbage collection.
import type { Finding } from './findings.ts'
import type { MemoryUsage } from './stage/processes.ts'

export type MemorySample = { requests: number; gateway: MemoryUsage; worker: MemoryUsage }

// Intended caches (prepared statements, metrics by route, tokens) fill soon, so the first part of the run is ignored.
const WARM_UP_SHARE = 1 / 3
const HEAP_GROWTH_MB_MAX = 8
const RSS_GROWTH_MB_MAX = 80

export function checkMemoryGrowth(measured: MemorySample[]): Finding[] {
  const last = measured.at(-1)
  const settled = last && measured.find(({ requests }) => requests >= last.requests * WARM_UP_SHARE)
  if (!last || !settled) return []
  return (['gateway', 'worker'] as const).flatMap((name) => {
    const heapMb = last[name].heapMb - settled[name].heapMb
    const rssMb = last[name].rssMb - settled[name].rssMb
    if (heapMb <= HEAP_GROWTH_MB_MAX && rssMb <= RSS_GROWTH_MB_MAX) return []
    const requests = last.requests - settled.requests
    const grown = `${heapMb.toFixed(1)} MB of heap and ${rssMb.toFixed(1)} MB in all`
    return [
      { promise: 'memory is flat', what: `the ${name} has grown by ${grown} over ${requests} requests` },
    ]
  })
}
