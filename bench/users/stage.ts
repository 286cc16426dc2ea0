// Sets up what the import and export benchmarks need: a database of their own, and processes of the built Berth.
import { spawn } from 'node:child_process'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { ABILITIES, createToken } from '../../shared/tokens/token-store.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../../test/support/processes.ts'
import { createDatabase, getRedisUrl, type Servers } from '../stage/servers.ts'

export type ImportBenchStage = {
  directory: string
  databaseUrl: string
  database: Knex
  postgres: { pid: number }
  gateway: Child & { url: string }
  /** The worker that runs imports and exports. */
  filesWorker: Child
  headers: { Authorization: string }
  stop(): Promise<void>
}

// The Redis database number of this benchmark. The other parts use lower numbers.
const REDIS_NUMBER = 10

export async function openImportBenchStage(servers: Servers, name: string): Promise<ImportBenchStage> {
  const databaseUrl = await createDatabase(servers, name)
  const database = connectDatabase(databaseUrl)
  const { token } = await createToken(database, {
    name: 'bench',
    abilities: ABILITIES,
    createdBy: 'bench',
    rateLimitPerMinute: 1_000_000,
  })
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: getRedisUrl(servers, REDIS_NUMBER),
    LOG_LEVEL: 'info',
  }
  const filesWorker = await startWorkerProcess(environment, ['imports', 'exports'])
  const writes = await startWorkerProcess(environment, ['writes', 'upkeep'])
  const gateway = await startGatewayProcess({ ...environment, FILE_BYTES_MAX: String(100 * 1024 * 1024) })
  return {
    directory: servers.directory,
    databaseUrl,
    database,
    postgres: { pid: servers.postgresPid },
    gateway,
    filesWorker,
    headers: { Authorization: `Bearer ${token}` },
    async stop() {
      for (const child of [gateway, filesWorker, writes]) child.kill('SIGTERM')
      await Promise.all([gateway, filesWorker, writes].map(({ ended }) => ended))
      await database.destroy()
    },
  }
}

/** Resets the users, and runs a checkpoint, so that the work of one step does not slow down the next one. */
export async function resetUsers({ database }: ImportBenchStage): Promise<void> {
  await database.raw('TRUNCATE users, groups RESTART IDENTITY CASCADE')
  await database.raw('CHECKPOINT')
}

/** Runs one psql command, as an administrator would. */
export function runPsql({ databaseUrl }: ImportBenchStage, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', databaseUrl, '-c', command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`psql ended with ${code}`))))
  })
}
