// The two load generators: our own, and wrk for comparison.
import { cpuUsOf, endedChildrenCpuUs } from '../stage/process-table.ts'
import { startTaskProcess } from '../stage/tasks.ts'
import type { Loaded, Work } from './work.ts'
import { runWrk } from './wrk.ts'

export type Loader = {
  run(work: Work): Promise<Loaded>
  /** The CPU time used so far. */
  cpuUs(): number
  stop(): Promise<void>
}

export async function startLoader(): Promise<Loader> {
  const { pid, run, stop } = await startTaskProcess<Work, Loaded>('load/loader')
  return { run, stop, cpuUs: () => cpuUsOf([pid]) }
}

// wrk takes half the CPU of our own. But it drops requests under way when its time is over: at a few dozen
// answers a second that is a tenth, and dropped bookings are made anyway. Hence only for short answers.
export const wrkLoader: Loader = {
  run: runWrk,
  cpuUs: () => endedChildrenCpuUs(process.pid),
  stop: async () => undefined,
}
