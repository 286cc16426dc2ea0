// The file local.json, which `npm start` writes for its next start, for commands and for other programs.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLockHolder } from './folder-lock.ts'
import { berthDirectory, shortPath } from './folders.ts'
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

/** Variables that are already set take precedence over the file. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
