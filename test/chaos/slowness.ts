// How slow the machine is because of other work. Limits on times grow with it, because a process that gets no processor is
// late without a fault of its own.
import { availableParallelism, loadavg } from 'node:os'

// The processes of a run alone keep at most this many processes a core busy.
const OWN_LOAD_PER_CORE = 3

/** Returns by how much limits on times must grow: 1, unless other work keeps the machine busy. */
export function measureSlowness(): number {
  const [load = 0] = loadavg()
  return Math.max(1, load / availableParallelism() / OWN_LOAD_PER_CORE)
}
