// Reads an import file in a separate process, so that no file can harm the worker: that process has its own
// memory and time limits, and no secrets. It returns lines for COPY. `rows` ends without an error only if the
// whole file was read, so a part is never taken for the whole.
import { extname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { FilePreview } from '../../shared/imports/layouts.ts'
import { message } from '../../shared/messages/message.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import {
  type LimitedProcess,
  type ProcessLimits,
  ranOutOfMemory,
  startLimited,
} from '../runtime/limited-process.ts'
import { machineRefusal, NOT_STARTED, notStarted, refusalOfMachine } from '../runtime/machine-faults.ts'
import { READER_PRIORITY } from '../runtime/priority.ts'
import { refuseFile, tooLarge } from './formats/sheet.ts'
import type { AskedLayout } from './laid-out-files.ts'
import type { ChildMessage } from './list-lines.ts'
import type { ListName } from './lists/lists.ts'

export type SheetLimits = ProcessLimits & { rowsMax: number }

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
    if (message.kind === 'fault') return fail(machineRefusal(message))
    const { kind, ...facts } = message
    Object.assign(read, facts)
    if (message.kind === 'progress') options.onProgress?.(message.rows)
    isComplete = kind === 'done'
  })
  child.on('error', (error) => fail(refusalOfMachine(error)))
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
  { rowsMax, ...limits }: SheetLimits,
  { list = 'users', keepsCells, layout }: SheetOptions,
): LimitedProcess {
  const program = join(import.meta.dirname, `child${extname(import.meta.filename)}`)
  return startLimited(
    program,
    [list, String(rowsMax), keepsCells ? 'cells' : '', layout === undefined ? '' : JSON.stringify(layout)],
    limits,
    READER_PRIORITY,
  )
}

function feed(file: Readable, child: LimitedProcess, fail: (error: Error) => void) {
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
  if (ranOutOfMemory(signal, code)) {
    return tooLarge(
      message`The file needs too much memory to read. Send fewer rows at a time, or send csv or xlsx.`,
    )
  }
  if (NOT_STARTED.has(code)) return notStarted()
  if (signal === 'SIGXCPU') return tooLarge(message`Reading the file takes longer than allowed.`)
  const refusal = refuseFile(message`The file could not be read: it is damaged.`)
  refusal.cause = `The reading process ended with ${signal ?? code}`
  return refusal
}
