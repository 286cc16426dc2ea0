// The two that can generate a load: ours, and wrk to compare it with.
import { cpuUsOf, endedChildrenCpuUs } from '../stage/process-table.ts'
import { startTaskProcess } from '../stage/tasks.ts'
import type { Loaded, Work } from './work.ts'
import { runWrk } from './wrk.ts'

export type Loader = {
  run(work: Work): Promise<Loaded>
  /** CPU that it has used so far. */
  cpuUs(): number
  stop(): Promise<void>
}

export async function startLoader(): Promise<Loader> {
  const { pid, run, stop } = await startTaskProcess<Work, Loaded>('load/loader')
  return { run, stop, cpuUs: () => cpuUsOf([pid]) }
}

// It takes half the CPU of ours. What is under way when its time is over it drops, though: of a few dozen answers a
// second that is a tenth, and bookings that are dropped are made nevertheless. So it can be asked for short answers only.
export const wrkLoader: Loader = {
  run: runWrk,
  cpuUs: () => endedChildrenCpuUs(process.pid),
  stop: async () => undefined,
}
