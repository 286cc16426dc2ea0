// Handles faults of a worker's machine, such as a full temporary folder. The uploaded file is not to blame, so the
// response asks the caller to try again, and the log names the folder.
import { tmpdir } from 'node:os'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'

const FAULT_CODES = new Set([
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

/** A fault of the machine, as a process that reads files reports it. */
export type MachineFault = { code: string; folder: string }

/**
 * Returns the fault if a system call failed, and otherwise undefined. A program that reads an uploaded file makes
 * system calls only for its own files.
 */
export function readMachineFault(error: unknown): MachineFault | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && FAULT_CODES.has(code) ? { code, folder: tmpdir() } : undefined
}

/** Returns a refusal because of this fault. Its `cause` is the fault, which the log shows. */
export function createMachineRefusal(fault: MachineFault): Refusal {
  const refusal = new Refusal(
    'unavailable',
    message`The server cannot read the file right now. Nothing was changed; try again shortly.`,
  )
  refusal.cause = fault
  return refusal
}

/** Returns the machine fault that caused a refusal. */
export function findMachineFault(error: unknown): MachineFault | undefined {
  const cause = error instanceof Refusal ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'folder' in cause
    ? (cause as MachineFault)
    : undefined
}

/** Returns a refusal if the error is a fault of the machine, and otherwise the error itself. */
export function toMachineRefusal(error: Error): Error {
  const fault = readMachineFault(error)
  return fault ? createMachineRefusal(fault) : error
}

/** The exit codes of a shell that cannot start a program. */
export const START_FAILURE_EXIT_CODES = new Set<number | null>([126, 127])
export const createNotStartedRefusal = (): Refusal =>
  createMachineRefusal({ code: 'not started', folder: tmpdir() })
