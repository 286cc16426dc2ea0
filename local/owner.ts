// One Berth a folder: a file in it names the process that works there, and a file that a killed process left does no harm.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, startedAt } from './processes.ts'
import { Problem } from './say.ts'

const FILE = 'owner'

/** Takes the folder for this process and returns what gives it back. Taking it twice in one process is allowed. */
export function ownFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true })
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
  return () => {
    if (readOwner(file) === mine) rmSync(file, { force: true })
  }
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
