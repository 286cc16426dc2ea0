// CPU time and memory of processes and their descendants, from the system's process table. Linux only:
// elsewhere these figures are NaN, and everything else is still measured.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const HAS_TABLE = existsSync('/proc/self/stat')
const MB = 1024 * 1024
const NANOSECONDS_PER_US = 1_000
// Linux's USER_HZ, which is 100 on every platform that Node supports.
const US_PER_TICK = 10_000

/** CPU microseconds that these processes and their children, including ended ones, have used so far. */
export function cpuUsOf(pids: readonly number[]): number {
  if (!HAS_TABLE) return Number.NaN
  const members = pids.flatMap((pid) => familyOf(pid))
  const alive = members.reduce((sum, pid) => sum + liveCpuUs(pid), 0)
  return alive + members.reduce((sum, pid) => sum + endedChildrenCpuUs(pid), 0)
}

/** Resident memory of the process and its children in megabytes. */
export function residentMb(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + residentBytes(each), 0) / MB
}

/** The same, but a page that several processes share is divided among them. */
export function proportionalMb(pid: number): number {
  const kilobytes = familyOf(pid).map((each) => {
    const [, number = 0] = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${each}/smaps_rollup`)) ?? []
    return Number(number)
  })
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024 || Number.NaN
}

/** The process and all its descendants. */
function familyOf(pid: number): number[] {
  const parents = numbersIn('/proc').map((each) => [each, Number(statFields(each)[1] ?? 0)] as const)
  const family = [pid]
  for (const member of family)
    family.push(...parents.filter(([, parent]) => parent === member).map(([each]) => each))
  return family
}

export function parentOf(pid: number): number {
  return Number(statFields(pid)[1] ?? 0)
}

// From the scheduler's nanoseconds per thread: /proc/PID/stat counts in hundredths of a second, and the
// dozens of Postgres processes would each be off by up to one.
function liveCpuUs(pid: number): number {
  const threads = numbersIn(`/proc/${pid}/task`).map((thread) =>
    read(`/proc/${pid}/task/${thread}/schedstat`),
  )
  if (threads.some((text) => text !== ''))
    return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]) / NANOSECONDS_PER_US, 0)
  const [user = 0, system = 0] = statFields(pid).slice(11, 13).map(Number)
  return (user + system) * US_PER_TICK
}

/** CPU time of its ended children. */
function endedChildrenCpuUs(pid: number): number {
  const [user = 0, system = 0] = statFields(pid).slice(13, 15).map(Number)
  return (user + system) * US_PER_TICK
}

// The fields after the program's name, which may contain spaces and brackets: state, parent, …
function statFields(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(') ') + 2).split(' ')
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

// A process may end while it is read.
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
