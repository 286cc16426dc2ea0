// One Berth a folder: a file in it names the process that works there, and a file that a killed process left does no harm.
import { accessSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, startedAt } from './processes/processes.ts'
import { Problem } from './terminal.ts'

const FILE = 'owner'

// How often this process has taken each folder: the last one that gives it back frees it.
const taken = new Map<string, number>()

/** Takes the folder for this process and returns what gives it back. Taking it twice in one process is allowed. */
export function ownFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true })
  // So that a refusal names the folder, not a file that nobody knows.
  accessSync(directory, constants.W_OK)
  const file = join(directory, FILE)
  const mine = `${process.pid} ${startedAt(process.pid)}`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mine)
  try {
    // A link appears at once and whole, or fails: nobody ever reads a half-written owner.
    while (!tryLink(draft, file)) {
      if (readOwner(file) === mine) break
      const owner = findOwner(directory)
      if (owner !== undefined) throw new Problem(`${directory} is in use by process ${owner}.`)
      rmSync(file, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
  taken.set(file, (taken.get(file) ?? 0) + 1)
  let released = false
  return () => {
    if (released) return
    released = true
    taken.set(file, (taken.get(file) ?? 0) - 1)
    if (taken.get(file) === 0 && readOwner(file) === mine) rmSync(file, { force: true })
  }
}

/** Whether a process that ended without giving the folder back has worked there. */
export function wasAbandoned(directory: string): boolean {
  return readOwner(join(directory, FILE)) !== '' && findOwner(directory) === undefined
}

/** The living process that works in this folder. */
export function findOwner(directory: string): number | undefined {
  const [pid, started] = readOwner(join(directory, FILE)).split(/ (.*)/)
  const number = Number(pid)
  if (!number || !isAlive(number)) return undefined
  return startedAt(number) === started ? number : undefined
}

function readOwner(file: string): string {
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
