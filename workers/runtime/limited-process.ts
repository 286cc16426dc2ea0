// Starts processes that read untrusted files, so that no file can harm the worker: they have their own memory and time
// limits, and no secrets.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { notStarted, refusalOfMachine } from './machine-faults.ts'
import { lowerPriority } from './priority.ts'

export type ProcessLimits = { memoryMb: number; timeMs: number }

export type LimitedProcess = ChildProcess & { stdin: Writable; stdout: Readable }

// V8 limits the heap. The kernel limits other memory (buffers, code): “-d” counts memory in use, while “-v”
// would count the gigabytes of address space that Node only reserves.
const OFF_HEAP_MB = 128
const SHELL = 'ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$@"'

// When memory runs out, V8 aborts (crashes since Node 24), or the kernel kills the process.
const OUT_OF_MEMORY = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTRAP'])
const ABORTED = 134

/** The file goes to its standard input. The limit of time is one of CPU time: callers also limit how long they wait. */
export function startLimited(
  program: string,
  programArguments: string[],
  { memoryMb, timeMs }: ProcessLimits,
  priority: number,
): LimitedProcess {
  // A debugger's port cannot be shared.
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  const memory = [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=4']
  const dataMb = memoryMb + OFF_HEAP_MB + reservedMb()
  const bounds = [String(dataMb * 1024), String(Math.ceil(timeMs / 1000) + 1)]
  const command = [process.execPath, ...inherited, ...memory, program, ...programArguments]
  const child = spawnOrRefuse(['-c', SHELL, 'berth-reader', ...bounds, ...command])
  if (child.pid !== undefined) lowerPriority(child.pid, priority)
  return child as LimitedProcess
}

function spawnOrRefuse(parameters: string[]): ChildProcess {
  try {
    const child = spawn('/bin/sh', parameters, {
      stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
      // No secrets: the addresses of Postgres and Redis stay out of this process.
      env: { TMPDIR: tmpdir() },
    })
    if (child.stdin) return child
    // Too many files are open to create its pipes. Its error event comes later, when nothing else listens for it.
    child.on('error', () => undefined)
  } catch (error) {
    throw refusalOfMachine(error as Error)
  }
  throw notStarted()
}

export const ranOutOfMemory = (signal: NodeJS.Signals | null, code: number | null): boolean =>
  OUT_OF_MEMORY.has(signal) || code === ABORTED

// The kernel also counts writable memory that V8 reserves, used or not: half a gigabyte since Node 24. This
// process reserves about as much; if that cannot be read (not on Linux), nothing is added.
function reservedMb(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    const kilobytesOf = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
    return Math.max(0, Math.ceil((kilobytesOf('VmData') - kilobytesOf('RssAnon')) / 1024))
  } catch {
    return 0
  }
}
