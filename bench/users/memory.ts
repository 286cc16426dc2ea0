// The most that processes took of the machine's memory while some work lasted.
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMb } from '../stage/process-table.ts'

/** Of the process and whatever it started. */
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
