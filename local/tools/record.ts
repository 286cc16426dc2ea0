// What is in the folder of a Berth: its lock, which allows one process per folder, and local.json, which `npm start`
// writes for its next start, for commands and for other programs.
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { berthDirectory, shortPath } from './folders.ts'
import { describe, isAlive } from './processes.ts'
import { CliError } from './terminal.ts'

export type LocalRecord = {
  url: string
  token: string
  admin: { email: string; password: string }
  databaseUrl: string
  redisUrl: string
}

const REDIS_URL_DEFAULT = 'redis://127.0.0.1:6379'

/** A damaged file counts as missing: everything in it can be created again. */
export function readRecord(directory: string): Partial<LocalRecord> {
  try {
    return JSON.parse(readFileSync(recordFile(directory), 'utf8')) as Partial<LocalRecord>
  } catch {
    return {}
  }
}

export function writeRecord(directory: string, record: LocalRecord): void {
  const draft = `${recordFile(directory)}.new`
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, recordFile(directory))
}

const recordFile = (directory: string) => join(directory, 'local.json')

/** The services of a command (token, admin, migrate …): those of the environment, or else of a running `npm start`. */
export function findEnvironment(): { databaseUrl: string; redisUrl: string } {
  loadEnvFile()
  const directory = berthDirectory()
  // Once that has stopped, its addresses lead nowhere, or to an unrelated server.
  const running = findLockHolder(directory) === undefined ? {} : readRecord(directory)
  const databaseUrl = process.env['DATABASE_URL'] || running.databaseUrl
  const redisUrl = process.env['REDIS_URL'] || running.redisUrl || REDIS_URL_DEFAULT
  if (databaseUrl) return { databaseUrl, redisUrl }
  throw new CliError(
    `No database: Berth is not running from ${shortPath(directory)}. Start it in another terminal (npm start), or set DATABASE_URL.`,
  )
}

export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}

const FILE = 'lock'

// The locks that this process holds on each folder: the last release frees it.
const holds = new Map<string, Set<symbol>>()

/** Returns the function that unlocks the folder. A process may lock it twice. */
export function lockFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true })
  // So that an error names the folder, not an internal file.
  accessSync(directory, constants.W_OK)
  const file = join(directory, FILE)
  const mine = `${process.pid} ${describe(process.pid).startedAt}`
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
  const hold = Symbol()
  const held = holds.get(file) ?? new Set()
  holds.set(file, held.add(hold))
  return () => {
    if (held.delete(hold) && held.size === 0 && readLock(file) === mine) rmSync(file, { force: true })
  }
}

export function hasStaleLock(directory: string): boolean {
  return readLock(join(directory, FILE)) !== '' && findLockHolder(directory) === undefined
}

export function findLockHolder(directory: string): number | undefined {
  const [pid, started] = readLock(join(directory, FILE)).split(/ (.*)/)
  const number = Number(pid)
  if (!number || !isAlive(number)) return undefined
  return describe(number).startedAt === started ? number : undefined
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
