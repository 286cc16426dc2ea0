// What processes take of the machine's memory: the most that they held while some work lasted.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const MB = 1024 * 1024

/** Of the process and whatever it started. */
export function residentMb(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + residentOf(each), 0) / MB
}

/** The most that it held while the work lasted. */
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

function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const)
  const family = [pid]
  for (const member of family)
    family.push(...parents.filter(([, parent]) => parent === member).map(([each]) => each))
  return family
}

// The name of a program may hold spaces and brackets: what counts begins behind the last one.
function parentOf(pid: number): number {
  const rest = read(`/proc/${pid}/stat`).split(') ').pop() ?? ''
  return Number(rest.split(' ')[1] ?? 0)
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

// A process may end while it is looked at.
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
