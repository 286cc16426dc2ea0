// Measures the peak memory of processes while some work runs.
import { setTimeout as sleep } from 'node:timers/promises'
import { measureResidentMb } from '../stage/process-table.ts'

/** Returns the peak memory of the process and its children in megabytes while `work` runs. */
export async function measurePeakMb(pid: number, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  let peak = 0
  while (!isOver) {
    peak = Math.max(peak, measureResidentMb(pid))
    await sleep(10)
  }
  await work
  return peak
}
