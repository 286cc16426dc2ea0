// Starts processes that read untrusted files, so that a hostile file cannot harm the worker. Each process has its own
// memory and time limits, and no secrets.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { createNotStartedRefusal, toMachineRefusal } from './machine-faults.ts'
import { lowerProcessPriority } from './priority.ts'

export type ProcessLimits = { memoryMb: number; timeMs: number }

export type LimitedProcess = ChildProcess & { stdin: Writable; stdout: Readable }

// The limit on memory outside the heap (buffers, code). V8 limits the heap, and the kernel limits the other memory.
// “-d” counts memory in use, while “-v” would count the gigabytes of address space that Node only reserves.
const OFF_HEAP_MB = 128
const LIMIT_SCRIPT = 'ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$@"'

// The signals that end a process that runs out of memory: V8 aborts the process (and crashes it since Node 24), or the
// kernel kills it.
const OUT_OF_MEMORY_SIGNALS = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTRAP'])
const ABORTED_EXIT_CODE = 134

/**
 * Starts a process that reads the file from standard input. Its time limit applies to CPU time, so callers must also
 * limit how long they wait.
 */
export function startLimitedProcess(
  program: string,
  programArguments: string[],
  { memoryMb, timeMs }: ProcessLimits,
  priority: number,
): LimitedProcess {
  // Drops debugger options, because two processes cannot share a debugger's port.
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  const memory = [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=4']
  const dataMb = memoryMb + OFF_HEAP_MB + readReservedMb()
  const bounds = [String(dataMb * 1024), String(Math.ceil(timeMs / 1000) + 1)]
  const command = [process.execPath, ...inherited, ...memory, program, ...programArguments]
  const child = spawnOrRefuse(['-c', LIMIT_SCRIPT, 'berth-reader', ...bounds, ...command])
  if (child.pid !== undefined) lowerProcessPriority(child.pid, priority)
  return child as LimitedProcess
}

function spawnOrRefuse(parameters: string[]): ChildProcess {
  try {
    const child = spawn('/bin/sh', parameters, {
      stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
      // Passes no secrets, so that the process does not know the addresses of Postgres and Redis.
      env: { TMPDIR: tmpdir() },
    })
    if (child.stdin) return child
    // If too many files are open, the process has no pipes. Its error event comes later, when no other
    // listener is attached.
    child.on('error', () => undefined)
  } catch (error) {
    throw toMachineRefusal(error as Error)
  }
  throw createNotStartedRefusal()
}

export const hasRunOutOfMemory = (signal: NodeJS.Signals | null, code: number | null): boolean =>
  OUT_OF_MEMORY_SIGNALS.has(signal) || code === ABORTED_EXIT_CODE

// Returns how much memory V8 reserves. The kernel also counts writable memory that V8 reserves but does not use: half a
// gigabyte since Node 24. The new process reserves about as much as this one. Returns 0 if that cannot be read (except
// on Linux).
function readReservedMb(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    const kilobytesOf = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
    return Math.max(0, Math.ceil((kilobytesOf('VmData') - kilobytesOf('RssAnon')) / 1024))
  } catch {
    return 0
  }
}
