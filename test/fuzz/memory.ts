// Checks that memory does not grow: measures it after garbage collection, from time to time.
import type { Finding } from './findings.ts'
import type { Memory } from './stage/processes.ts'

export type Measured = { requests: number; gateway: Memory; worker: Memory }

// What is kept on purpose (prepared statements, figures by route, tokens) is there soon; the first part is left out.
const SETTLED_AFTER = 1 / 3
const HEAP_MB_MAX = 8
const RSS_MB_MAX = 80

export function judgeMemory(measured: Measured[]): Finding[] {
  const last = measured.at(-1)
  const settled = last && measured.find(({ requests }) => requests >= last.requests * SETTLED_AFTER)
  if (!last || !settled) return []
  return (['gateway', 'worker'] as const).flatMap((name) => {
    const heapMb = last[name].heapMb - settled[name].heapMb
    const rssMb = last[name].rssMb - settled[name].rssMb
    if (heapMb <= HEAP_MB_MAX && rssMb <= RSS_MB_MAX) return []
    const requests = last.requests - settled.requests
    const grown = `${heapMb.toFixed(1)} MB of heap and ${rssMb.toFixed(1)} MB in all`
    return [
      { promise: 'memory is flat', what: `the ${name} has grown by ${grown} over ${requests} requests` },
    ]
  })
}
