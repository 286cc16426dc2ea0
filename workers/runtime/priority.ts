// The priority of processes that read and write files: bookings get the CPU first.
import { constants, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

/** Of a process that serves imports and exports only, or converts the picture for which a user waits. */
export const FILES_PRIORITY = PRIORITY_BELOW_NORMAL
export const READER_PRIORITY = PRIORITY_LOW

export function lowerPriority(pid: number, priority: number) {
  try {
    setPriority(pid, priority)
  } catch {
    // It has ended already, or the system does not allow it: then it runs at normal priority.
  }
}
