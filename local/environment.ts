// Finds the services for a command (token, admin, migrate …): those of the environment, else those of the Berth that
// runs on this machine.
import { existsSync } from 'node:fs'
import { findOwner } from './folder-lock.ts'
import { berthDirectory, shortPath } from './folders.ts'
import { readRecord } from './record.ts'
import { Problem } from './terminal.ts'

export type Services = { databaseUrl: string; redisUrl: string }

const REDIS_URL_DEFAULT = 'redis://127.0.0.1:6379'

export function findEnvironment(): Services {
  loadEnvFile()
  const directory = berthDirectory()
  // The addresses of one that has stopped lead nowhere, or by chance to somebody else.
  const running = findOwner(directory) === undefined ? {} : readRecord(directory)
  const databaseUrl = process.env['DATABASE_URL'] || running.databaseUrl
  const redisUrl = process.env['REDIS_URL'] || running.redisUrl || REDIS_URL_DEFAULT
  if (databaseUrl) return { databaseUrl, redisUrl }
  throw new Problem(
    `No database: start Berth in another terminal (npm start), or set DATABASE_URL (no Berth runs from ${shortPath(directory)}).`,
  )
}

/** Variables that are set already win over the file. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
