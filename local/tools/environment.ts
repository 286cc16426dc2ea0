// Finds Postgres and Redis for a command (token, admin, migrate …): those of the environment, or else of a
// running `npm start`.
import { existsSync } from 'node:fs'
import { findLockHolder } from './folder-lock.ts'
import { berthDirectory, shortPath } from './folders.ts'
import { readRecord } from './record.ts'
import { CliError } from './terminal.ts'

type Environment = { databaseUrl: string; redisUrl: string }

const REDIS_URL_DEFAULT = 'redis://127.0.0.1:6379'

export function findEnvironment(): Environment {
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
