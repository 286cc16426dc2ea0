// Reads an import file in a separate process, so that no file can harm the worker: that process has its own
// memory and time limits, and no secrets. It returns lines for COPY. `rows` ends without an error only if the
// whole file was read, so a part is never taken for the whole.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { FilePreview } from '../../shared/imports/layouts.ts'
import { message } from '../../shared/messages/message.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import { lowerPriority, READER_PRIORITY } from '../runtime/priority.ts'
import { refuseFile, tooLarge } from './formats/sheet.ts'
import type { AskedLayout } from './laid-out-files.ts'
import type { ChildMessage } from './list-lines.ts'
import type { ListName } from './lists/lists.ts'

export type SheetLimits = { rowsMax: number; memoryMb: number; timeMs: number }

type SheetOptions = {
  /** What the file lists; users if unset. */
  list?: ListName
  /** The number of rows read so far, every few thousand. */
  onProgress?(rows: number): void
  /** Adds the original cells of each row to its line. */
  keepsCells?: boolean
  /** Where the list is in the file, if that is known, or whether to ask. */
  layout?: AskedLayout | undefined
}

type ListFacts = {
  columns: string[]
  header: string[]
  rows: number
  /** Of a file whose columns an administrator has to explain: it has no lines. */
  preview?: FilePreview
}

type ListReading = {
  /** Lines for COPY: the row's number, the columns of the list, its errors, and its cells if they are kept. */
  rows: Readable
  done: Promise<ListFacts>
}

type SheetProcess = ChildProcess & { stdin: Writable; stdout: Readable }

// V8 limits the heap. The kernel limits other memory (buffers, code): “-d” counts memory in use, while “-v”
// would count the gigabytes of address space that Node only reserves.
const OFF_HEAP_MB = 128
const SHELL = 'ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$@"'

// When memory runs out, V8 aborts (crashes since Node 24), or the kernel kills the process.
const OUT_OF_MEMORY = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTRAP'])

/** Ends reading if `rows` is destroyed. */
export function readList(file: Readable, limits: SheetLimits, options: SheetOptions = {}): ListReading {
  const child = startChild(limits, options)
  const rows = new PassThrough()
  const read: ListFacts = { columns: [], header: [], rows: 0 }
  let isComplete = false
  // Only the first error counts.
  const fail = (error: Error) => rows.destroy(error)
  const timer = setTimeout(() => fail(tooSlowError(limits.timeMs)), limits.timeMs)
  child.on('message', (message: ChildMessage) => {
    if (message.kind === 'refused') return fail(refusalFromChild(message))
    const { kind, ...facts } = message
    Object.assign(read, facts)
    if (message.kind === 'progress') options.onProgress?.(message.rows)
    isComplete = kind === 'done'
  })
  child.on('error', fail)
  child.on('close', (code, signal) => {
    clearTimeout(timer)
    if (isComplete && code === 0) rows.end()
    else fail(refusalOfDeath(signal, code))
  })
  child.stdout.pipe(rows, { end: false })
  rows.on('close', () => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
  feed(file, child, fail)
  const done = finished(rows).then(() => read)
  // Not every caller awaits both, but a failure rejects each.
  done.catch(() => undefined)
  return { rows, done }
}

function startChild(
  { rowsMax, memoryMb, timeMs }: SheetLimits,
  { list = 'users', keepsCells, layout }: SheetOptions,
): SheetProcess {
  const program = join(import.meta.dirname, `child${extname(import.meta.filename)}`)
  // A debugger's port cannot be shared.
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  const memory = [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=4']
  const dataMb = memoryMb + OFF_HEAP_MB + reservedMb()
  const bounds = [String(dataMb * 1024), String(Math.ceil(timeMs / 1000) + 1)]
  const command = [
    process.execPath,
    ...inherited,
    ...memory,
    program,
    list,
    String(rowsMax),
    keepsCells ? 'cells' : '',
    layout === undefined ? '' : JSON.stringify(layout),
  ]
  const child = spawn('/bin/sh', ['-c', SHELL, 'berth-sheet', ...bounds, ...command], {
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    // No secrets: the addresses of Postgres and Redis stay out of this process.
    env: { TMPDIR: tmpdir() },
  })
  if (child.pid !== undefined) lowerPriority(child.pid, READER_PRIORITY)
  return child as SheetProcess
}

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

function feed(file: Readable, child: SheetProcess, fail: (error: Error) => void) {
  pipeline(file, child.stdin).catch((error: NodeJS.ErrnoException) => {
    // A child that refuses the file or dies closes the pipe, and its reason is reported elsewhere. Any other
    // error comes from the file, and the child would take it for the end of the file.
    const isDead = child.exitCode !== null || child.signalCode !== null
    if (!isDead && error.code !== 'EPIPE' && error.code !== 'ECONNRESET') fail(error)
  })
}

function refusalFromChild({ code, problem, cause }: ChildMessage & { kind: 'refused' }): Refusal {
  const refusal = code === 'too_large' ? tooLarge(problem) : refuseFile(problem)
  if (cause !== undefined) refusal.cause = cause
  return refusal
}

function tooSlowError(timeMs: number): Refusal {
  return tooLarge(
    message`Reading the file takes longer than ${Math.ceil(timeMs / 1000)} seconds, which is the limit.`,
  )
}

function refusalOfDeath(signal: NodeJS.Signals | null, code: number | null): Refusal {
  if (OUT_OF_MEMORY.has(signal) || code === 134) {
    return tooLarge(
      message`The file needs too much memory to read. Send fewer rows at a time, or send csv or xlsx.`,
    )
  }
  if (signal === 'SIGXCPU') return tooLarge(message`Reading the file takes longer than allowed.`)
  const refusal = refuseFile(message`The file could not be read: it is damaged.`)
  refusal.cause = `The reading process ended with ${signal ?? code}`
  return refusal
}
