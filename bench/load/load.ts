// The load generator, in a process of its own.
import { cpuUsOf } from '../stage/process-table.ts'
import { startTaskProcess } from '../stage/tasks.ts'
import type { Loaded, Work } from './work.ts'

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
