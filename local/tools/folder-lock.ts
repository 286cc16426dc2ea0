// Allows one Berth per folder: a lock file names its process. The file of a killed process is ignored.
import { accessSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, startedAt } from './processes.ts'
import { CliError } from './terminal.ts'

const FILE = 'lock'

// How often this process has locked each folder: the last release frees it.
const holds = new Map<string, number>()

/**
 * Locks the folder for this process and returns the function that unlocks it. A process may lock it twice.
 */
export function lockFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true })
  // So that an error names the folder, not an internal file.
  accessSync(directory, constants.W_OK)
  const file = join(directory, FILE)
  const mine = `${process.pid} ${startedAt(process.pid)}`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mine)
  try {
    // A link is created atomically or not at all, so no process reads a half-written file.
    while (!tryLink(draft, file)) {
      if (readLock(file) === mine) break
      const holder = findLockHolder(directory)
      if (holder !== undefined) throw new CliError(`${directory} is in use by process ${holder}.`)
      rmSync(file, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
  holds.set(file, (holds.get(file) ?? 0) + 1)
  let released = false
  return () => {
    if (released) return
    released = true
    holds.set(file, (holds.get(file) ?? 0) - 1)
    if (holds.get(file) === 0 && readLock(file) === mine) rmSync(file, { force: true })
  }
}

/** Whether a process that used the folder has ended without releasing it. */
export function hasStaleLock(directory: string): boolean {
  return readLock(join(directory, FILE)) !== '' && findLockHolder(directory) === undefined
}

/** The living process that has locked this folder. */
export function findLockHolder(directory: string): number | undefined {
  const [pid, started] = readLock(join(directory, FILE)).split(/ (.*)/)
  const number = Number(pid)
  if (!number || !isAlive(number)) return undefined
  return startedAt(number) === started ? number : undefined
}

function readLock(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
