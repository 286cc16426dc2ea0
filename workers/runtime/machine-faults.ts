// Faults of the machine that a worker runs on, such as a full temporary folder. They are not the fault of the file that is
// read, so the caller is asked to try again, and the log names the folder.
import { tmpdir } from 'node:os'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'

const CODES = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'],
  ...['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'],
])

/** What a process that reads files reports of its machine. */
export type MachineFault = { code: string; folder: string }

/** Undefined unless a call of the system has failed. A program that reads a file makes none but for its own files. */
export function readMachineFault(error: unknown): MachineFault | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && CODES.has(code) ? { code, folder: tmpdir() } : undefined
}

/** `cause` is for the log. */
export function machineRefusal(fault: MachineFault): Refusal {
  const refusal = new Refusal(
    'unavailable',
    message`The server cannot read the file right now. Nothing was changed; try again shortly.`,
  )
  refusal.cause = fault
  return refusal
}

/** The fault of the machine that a refusal was made of. */
export function machineFaultOf(error: unknown): MachineFault | undefined {
  const cause = error instanceof Refusal ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'folder' in cause
    ? (cause as MachineFault)
    : undefined
}

/** The same error, or the refusal that stands for it. */
export function refusalOfMachine(error: Error): Error {
  const fault = readMachineFault(error)
  return fault ? machineRefusal(fault) : error
}

/** A shell that cannot start a program ends with one of these. */
export const NOT_STARTED = new Set<number | null>([126, 127])
export const notStarted = (): Refusal => machineRefusal({ code: 'not started', folder: tmpdir() })
