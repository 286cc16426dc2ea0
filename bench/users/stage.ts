// The stage of the users benchmark: its own PostgreSQL and Redis, and built Berth processes.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { ABILITIES, createToken } from '../../shared/tokens/token-store.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../../test/support/processes.ts'

export type Stage = {
  directory: string
  databaseUrl: string
  database: Knex
  /** The environment of its processes. */
  environment: Record<string, string>
  postgres: { pid: number }
  gateway: Child & { url: string }
  /** The worker of imports and exports. */
  filesWorker: Child
  headers: { Authorization: string }
  stop(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const settings = { shared_buffers: '1GB', max_wal_size: '8GB' }
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), settings })
  const redis = await startRedis({ directory: join(directory, 'redis') })
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  const { token } = await createToken(database, {
    name: 'bench',
    abilities: ABILITIES,
    createdBy: 'bench',
    rateLimitPerMinute: 1_000_000,
  })
  const environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, LOG_LEVEL: 'info' }
  const filesWorker = await startWorkerProcess(environment, ['imports', 'exports'])
  const writes = await startWorkerProcess(environment, ['writes', 'upkeep'])
  const gateway = await startGatewayProcess({ ...environment, FILE_BYTES_MAX: String(100 * 1024 * 1024) })
  return {
    directory,
    databaseUrl: postgres.url,
    database,
    environment,
    postgres,
    gateway,
    filesWorker,
    headers: { Authorization: `Bearer ${token}` },
    async stop() {
      for (const child of [gateway, filesWorker, writes]) child.kill('SIGTERM')
      await Promise.all([gateway, filesWorker, writes].map(({ ended }) => ended))
      await database.destroy()
      await Promise.all([redis.stop(), postgres.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Resets the users, and runs a checkpoint, so that no step pays for the one before. */
export async function emptyUsers({ database }: Stage): Promise<void> {
  await database.raw('TRUNCATE users, groups RESTART IDENTITY CASCADE')
  await database.raw('CHECKPOINT')
}

/** Runs one psql command, as an administrator would. */
export function psql({ databaseUrl }: Stage, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', databaseUrl, '-c', command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`psql ended with ${code}`))))
  })
}
