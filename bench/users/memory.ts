// The peak memory of processes during some work.
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMb } from '../stage/process-table.ts'

/** Includes the memory of child processes. */
export async function peakMb(pid: number, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  let peak = 0
  while (!isOver) {
    peak = Math.max(peak, residentMb(pid))
    await sleep(10)
  }
  await work
  return peak
}
