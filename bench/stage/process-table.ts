// Reads the CPU time and memory of processes and their descendants from the system's process table. Works only on
// Linux: elsewhere these figures are NaN, and everything else is still measured.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const HAS_PROCESS_TABLE = existsSync('/proc/self/stat')
const BYTES_PER_MB = 1024 * 1024
const NANOSECONDS_PER_US = 1_000
// Microseconds per tick of Linux's USER_HZ, which is 100 on every platform that Node supports.
const US_PER_TICK = 10_000

/** Returns the CPU microseconds that these processes and their children, including ended children, have used so far. */
export function measureCpuUs(pids: readonly number[]): number {
  if (!HAS_PROCESS_TABLE) return Number.NaN
  const members = pids.flatMap((pid) => listProcessTree(pid))
  const alive = members.reduce((sum, pid) => sum + measureLiveCpuUs(pid), 0)
  return alive + members.reduce((sum, pid) => sum + measureEndedChildrenCpuUs(pid), 0)
}

/** Returns the resident memory of the process and its children in megabytes. */
export function measureResidentMb(pid: number): number {
  return listProcessTree(pid).reduce((sum, each) => sum + readResidentBytes(each), 0) / BYTES_PER_MB
}

/**
 * Returns the proportional memory of the process and its children in megabytes, where a page that several processes
 * share is divided among them.
 */
export function measureProportionalMb(pid: number): number {
  const kilobytes = listProcessTree(pid).map((each) => {
    const [, number = 0] = /^Pss:\s+(\d+) kB/m.exec(readFileIfPresent(`/proc/${each}/smaps_rollup`)) ?? []
    return Number(number)
  })
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024 || Number.NaN
}

/** Returns the process and all its descendants. */
function listProcessTree(pid: number): number[] {
  const parents = listNumericNames('/proc').map(
    (each) => [each, Number(readStatFields(each)[1] ?? 0)] as const,
  )
  const family = [pid]
  for (const member of family)
    family.push(...parents.filter(([, parent]) => parent === member).map(([each]) => each))
  return family
}

export function readParentPid(pid: number): number {
  return Number(readStatFields(pid)[1] ?? 0)
}

// Adds up the scheduler's nanoseconds per thread. /proc/PID/stat counts in hundredths of a second, so the figure of
// each of dozens of Postgres processes could be off by a hundredth.
function measureLiveCpuUs(pid: number): number {
  const threads = listNumericNames(`/proc/${pid}/task`).map((thread) =>
    readFileIfPresent(`/proc/${pid}/task/${thread}/schedstat`),
  )
  if (threads.some((text) => text !== ''))
    return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]) / NANOSECONDS_PER_US, 0)
  const [user = 0, system = 0] = readStatFields(pid).slice(11, 13).map(Number)
  return (user + system) * US_PER_TICK
}

/** Returns the CPU time that the ended children of the process have used. */
function measureEndedChildrenCpuUs(pid: number): number {
  const [user = 0, system = 0] = readStatFields(pid).slice(13, 15).map(Number)
  return (user + system) * US_PER_TICK
}

// Returns the fields of /proc/PID/stat after the program's name, which may contain spaces and brackets. The state and
// the parent come first.
function readStatFields(pid: number): string[] {
  const text = readFileIfPresent(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(') ') + 2).split(' ')
}

function readResidentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileIfPresent(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

function listNumericNames(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

// Returns an empty text if the process ends before its file is read.
function readFileIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
