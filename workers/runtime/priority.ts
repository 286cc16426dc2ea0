// Lowers the priority of processes that read and write files, so that bookings get CPU time first.
import { constants, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

/** The priority of a process that serves only imports and exports, or that converts a picture for a waiting user. */
export const FILE_PROCESS_PRIORITY = PRIORITY_BELOW_NORMAL
export const FILE_READER_PRIORITY = PRIORITY_LOW

export function lowerProcessPriority(pid: number, priority: number) {
  try {
    setPriority(pid, priority)
  } catch {
    // Ignores the error. The process has already ended, or the system does not allow the change and the process runs at
    // normal priority.
  }
}
