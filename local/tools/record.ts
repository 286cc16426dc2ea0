// The files in the data folder: its lock, which allows one process per folder, and local.json, which `npm start` writes
// for its next start, for commands and for other programs.
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
import { getBerthDirectory, shortenPath } from './folders.ts'
import { describeProcess, isAlive } from './processes.ts'
import { CliError } from './terminal.ts'

export type LocalRecord = {
  url: string
  token: string
  admin: { email: string; password: string }
  databaseUrl: string
  redisUrl: string
}

const REDIS_URL_DEFAULT = 'redis://127.0.0.1:6379'

/** Reads local.json. A damaged file counts as missing, because everything in it can be created again. */
export function readRecord(directory: string): Partial<LocalRecord> {
  try {
    return JSON.parse(readFileSync(getRecordFile(directory), 'utf8')) as Partial<LocalRecord>
  } catch {
    return {}
  }
}

export function writeRecord(directory: string, record: LocalRecord): void {
  const draft = `${getRecordFile(directory)}.new`
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, getRecordFile(directory))
}

const getRecordFile = (directory: string) => join(directory, 'local.json')

/**
 * Finds the services for a command (token, admin, migrate …): those that the environment names, or those of a running
 * `npm start`.
 */
export function findEnvironment(): { databaseUrl: string; redisUrl: string } {
  loadEnvFile()
  const directory = getBerthDirectory()
  // Ignores the record if no `npm start` is running: its URLs then lead nowhere, or to an unrelated server.
  const running = findLockHolder(directory) === undefined ? {} : readRecord(directory)
  const databaseUrl = process.env['DATABASE_URL'] || running.databaseUrl
  const redisUrl = process.env['REDIS_URL'] || running.redisUrl || REDIS_URL_DEFAULT
  if (databaseUrl) return { databaseUrl, redisUrl }
  throw new CliError(
    `No database: Berth is not running from ${shortenPath(directory)}. Start it in another terminal (npm start), or set DATABASE_URL.`,
  )
}

export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}

const LOCK_FILE = 'lock'

// The locks that this process holds, by folder. Releasing the last lock of a folder unlocks the folder.
const heldLocks = new Map<string, Set<symbol>>()

/** Locks a folder, and returns the function that unlocks it. A process may lock the same folder twice. */
export function lockFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true })
  // Checks the folder first, so that an error names the folder instead of an internal file.
  accessSync(directory, constants.W_OK)
  const file = join(directory, LOCK_FILE)
  const ownLock = `${process.pid} ${describeProcess(process.pid).startedAt}`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, ownLock)
  try {
    // A link is created atomically or not at all, so no process reads a half-written file.
    while (!tryLink(draft, file)) {
      if (readLock(file) === ownLock) break
      const holder = findLockHolder(directory)
      if (holder !== undefined) throw new CliError(`${directory} is in use by process ${holder}.`)
      rmSync(file, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
  const hold = Symbol()
  const held = heldLocks.get(file) ?? new Set()
  heldLocks.set(file, held.add(hold))
  return () => {
    if (held.delete(hold) && held.size === 0 && readLock(file) === ownLock) rmSync(file, { force: true })
  }
}

export function hasStaleLock(directory: string): boolean {
  return readLock(join(directory, LOCK_FILE)) !== '' && findLockHolder(directory) === undefined
}

export function findLockHolder(directory: string): number | undefined {
  const [pid, started] = readLock(join(directory, LOCK_FILE)).split(/ (.*)/)
  const number = Number(pid)
  if (!number || !isAlive(number)) return undefined
  return describeProcess(number).startedAt === started ? number : undefined
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
