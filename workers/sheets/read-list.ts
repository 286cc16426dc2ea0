// Reads an import file in a separate process, so that a hostile file cannot harm the worker: that process has its own
// memory and time limits, and no secrets. Returns lines for COPY. `rows` ends without an error only if the whole file
// was read, so a part of the file is never mistaken for the whole.
import { extname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { FilePreview } from '../../shared/imports/layouts.ts'
import { message } from '../../shared/messages/message.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import {
  hasRunOutOfMemory,
  type LimitedProcess,
  type ProcessLimits,
  startLimitedProcess,
} from '../runtime/limited-process.ts'
import {
  createMachineRefusal,
  createNotStartedRefusal,
  START_FAILURE_EXIT_CODES,
  toMachineRefusal,
} from '../runtime/machine-faults.ts'
import { FILE_READER_PRIORITY } from '../runtime/priority.ts'
import { createFileRefusal, createTooLargeRefusal } from './formats/sheet.ts'
import type { RequestedLayout } from './laid-out-files.ts'
import type { ChildMessage } from './list-lines.ts'
import type { ListName } from './lists/lists.ts'

export type SheetLimits = ProcessLimits & { rowsMax: number }

type SheetOptions = {
  /** The kind of list in the file. Defaults to users. */
  list?: ListName
  /** Called once every few thousand rows, with the number of rows read so far. */
  onProgress?(rows: number): void
  /** Whether the line of each row also contains the original cells. */
  keepsCells?: boolean
  /** Where the list is in the file, if an administrator has specified that, or whether to ask for it. */
  layout?: RequestedLayout | undefined
}

type ListFacts = {
  columns: string[]
  header: string[]
  rows: number
  /** The first rows of a file whose columns an administrator has to explain. No COPY lines are made of such a file. */
  preview?: FilePreview
}

type ListReading = {
  /**
   * The lines for COPY. Each contains the number of the row, the columns of the list, the errors, and, with
   * `keepsCells`, the original cells.
   */
  rows: Readable
  done: Promise<ListFacts>
}

/** Starts reading a file. To stop reading, the caller destroys `rows`. */
export function readList(file: Readable, limits: SheetLimits, options: SheetOptions = {}): ListReading {
  const child = startChild(limits, options)
  const rows = new PassThrough()
  const read: ListFacts = { columns: [], header: [], rows: 0 }
  let isComplete = false
  // Makes reading fail with this error. If there are several errors, only the first one counts.
  const fail = (error: Error) => rows.destroy(error)
  const timer = setTimeout(() => fail(createTooSlowRefusal(limits.timeMs)), limits.timeMs)
  child.on('message', (message: ChildMessage) => {
    if (message.kind === 'refused') return fail(toRefusal(message))
    if (message.kind === 'fault') return fail(createMachineRefusal(message))
    const { kind, ...facts } = message
    Object.assign(read, facts)
    if (message.kind === 'progress') options.onProgress?.(message.rows)
    isComplete = kind === 'done'
  })
  child.on('error', (error) => fail(toMachineRefusal(error)))
  child.on('close', (code, signal) => {
    clearTimeout(timer)
    if (isComplete && code === 0) rows.end()
    else fail(createDeathRefusal(signal, code))
  })
  child.stdout.pipe(rows, { end: false })
  rows.on('close', () => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
  feedFile(file, child, fail)
  const done = finished(rows).then(() => read)
  // A failure rejects both promises, but some callers await only one of them.
  done.catch(() => undefined)
  return { rows, done }
}

function startChild(
  { rowsMax, ...limits }: SheetLimits,
  { list = 'users', keepsCells, layout }: SheetOptions,
): LimitedProcess {
  const program = join(import.meta.dirname, `child${extname(import.meta.filename)}`)
  return startLimitedProcess(
    program,
    [list, String(rowsMax), keepsCells ? 'cells' : '', layout === undefined ? '' : JSON.stringify(layout)],
    limits,
    FILE_READER_PRIORITY,
  )
}

function feedFile(file: Readable, child: LimitedProcess, fail: (error: Error) => void) {
  pipeline(file, child.stdin).catch((error: NodeJS.ErrnoException) => {
    // A child process that refuses the file or dies closes the pipe, and other code reports the reason. Any other error
    // comes from the source of the file, and the child process would mistake it for the end of the file.
    const isDead = child.exitCode !== null || child.signalCode !== null
    if (!isDead && error.code !== 'EPIPE' && error.code !== 'ECONNRESET') fail(error)
  })
}

function toRefusal({ code, problem, cause }: ChildMessage & { kind: 'refused' }): Refusal {
  const refusal = code === 'too_large' ? createTooLargeRefusal(problem) : createFileRefusal(problem)
  if (cause !== undefined) refusal.cause = cause
  return refusal
}

function createTooSlowRefusal(timeMs: number): Refusal {
  return createTooLargeRefusal(
    message`Reading the file takes longer than ${Math.ceil(timeMs / 1000)} seconds, the maximum allowed.`,
  )
}

function createDeathRefusal(signal: NodeJS.Signals | null, code: number | null): Refusal {
  if (hasRunOutOfMemory(signal, code)) {
    return createTooLargeRefusal(
      message`The file needs too much memory to read. Send fewer rows at a time, or send csv or xlsx.`,
    )
  }
  if (START_FAILURE_EXIT_CODES.has(code)) return createNotStartedRefusal()
  if (signal === 'SIGXCPU') return createTooLargeRefusal(message`Reading the file takes longer than allowed.`)
  const refusal = createFileRefusal(message`The file could not be read: it is damaged.`)
  refusal.cause = `The reading process ended with ${signal ?? code}`
  return refusal
}
