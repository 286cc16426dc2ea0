// Faults of the machine of a worker, such as a full temporary folder. The file that is read is not to blame, so the answer asks
// the caller to try again, and the log names the folder.
import { tmpdir } from 'node:os'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'

const CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EROFS',
  'EIO',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
])

/** A fault of the machine, as reported by a process that reads files. */
export type MachineFault = { code: string; folder: string }

/** Undefined unless a system call has failed. A program that reads a file makes system calls only for its own files. */
export function readMachineFault(error: unknown): MachineFault | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && CODES.has(code) ? { code, folder: tmpdir() } : undefined
}

/** Its `cause` is the fault, which the log shows. */
export function machineRefusal(fault: MachineFault): Refusal {
  const refusal = new Refusal(
    'unavailable',
    message`The server cannot read the file right now. Nothing was changed; try again shortly.`,
  )
  refusal.cause = fault
  return refusal
}

/** The machine fault that caused a refusal. */
export function machineFaultOf(error: unknown): MachineFault | undefined {
  const cause = error instanceof Refusal ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'folder' in cause
    ? (cause as MachineFault)
    : undefined
}

/** Returns a refusal if the error is a fault of the machine, and otherwise the error itself. */
export function refusalOfMachine(error: Error): Error {
  const fault = readMachineFault(error)
  return fault ? machineRefusal(fault) : error
}

/** A shell that cannot start a program ends with one of these. */
export const NOT_STARTED = new Set<number | null>([126, 127])
export const notStarted = (): Refusal => machineRefusal({ code: 'not started', folder: tmpdir() })
