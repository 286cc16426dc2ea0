// Provides the Postgres and Redis of a benchmark: started in a temporary folder, or those of the tests.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase, getOnlyRow } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { startDebianPostgres } from '../../test/scale/stage/debian-postgres.ts'
import { readParentPid } from './process-table.ts'
import { getBuiltFile } from './scripts.ts'

export type Servers = {
  databaseUrl: string
  redisUrl: string
  postgresPid: number
  redisPid: number
  /** The folder for logs and other files of the benchmark. */
  directory: string
  stop(): Promise<void>
}

const STATISTICS_EXTENSION = 'pg_stat_statements'

const POSTGRES_SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  min_wal_size: '256MB',
  max_connections: '400',
  shared_preload_libraries: STATISTICS_EXTENSION,
}

/** `version` names an installed Debian package. Defaults to the PostgreSQL of `npm start`. */
export async function startServers(version?: number): Promise<Servers> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const [postgres, redis] = await Promise.all([
    version
      ? startDebianPostgres(version, POSTGRES_SETTINGS)
      : startPostgres({ directory: join(directory, 'postgres'), settings: POSTGRES_SETTINGS }),
    startRedis({ directory: join(directory, 'redis') }),
  ])
  return {
    ...(await connectToServers(postgres.url, redis.url, directory)),
    async stop() {
      await Promise.all([redis.stop(), postgres.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Connects to servers that already run on this machine. */
export async function connectToServers(
  databaseUrl: string,
  redisUrl: string,
  directory: string,
): Promise<Servers> {
  return {
    databaseUrl,
    redisUrl,
    postgresPid: await findPostgresPid(databaseUrl),
    redisPid: await findRedisPid(redisUrl),
    directory,
    stop: async () => undefined,
  }
}

/** Creates a database with the migrations of this checkout or another one, or without migrations, and returns
 * the database's URL. */
export async function createDatabase(
  { databaseUrl }: Servers,
  name: string,
  { checkout, isEmpty = false }: { checkout?: string; isEmpty?: boolean } = {},
): Promise<string> {
  const server = connectDatabase(databaseUrl)
  await server.raw('CREATE DATABASE ??', [name])
  // Turns statement statistics off, because they cost a little. The statement counter turns them on when needed.
  if (await hasStatementStatistics(server))
    await server.raw(`ALTER DATABASE ?? SET ${STATISTICS_EXTENSION}.track = 'none'`, [name])
  await server.destroy()
  const address = new URL(databaseUrl)
  address.pathname = `/${name}`
  if (checkout) await migrateWithCheckout(checkout, address.href)
  else if (!isEmpty) {
    const database = connectDatabase(address.href)
    await migrateUp(database)
    await database.destroy()
  }
  return address.href
}

async function migrateWithCheckout(checkout: string, url: string): Promise<void> {
  await promisify(execFile)(process.execPath, [getBuiltFile('commands/migrate.js', checkout)], {
    cwd: checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: url },
  })
}

/** Returns whether this Postgres can count statements. */
export async function hasStatementStatistics(database: Knex): Promise<boolean> {
  const { rows } = await database.raw<{ rows: Array<{ loaded: string }> }>(
    "SELECT current_setting('shared_preload_libraries') AS loaded",
  )
  return getOnlyRow(rows).loaded.includes(STATISTICS_EXTENSION)
}

/** Returns the URL of a numbered Redis database. */
export function getRedisUrl({ redisUrl }: Servers, number: number): string {
  const address = new URL(redisUrl)
  address.pathname = `/${number}`
  return address.href
}

async function findPostgresPid(url: string): Promise<number> {
  const database = connectDatabase(url, { connectionsMax: 1 })
  try {
    const { rows } = await database.raw<{ rows: Array<{ pid: number }> }>('SELECT pg_backend_pid() AS pid')
    return readParentPid(getOnlyRow(rows).pid)
  } finally {
    await database.destroy()
  }
}

async function findRedisPid(url: string): Promise<number> {
  const redis = new Redis(url)
  try {
    return Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1])
  } finally {
    redis.disconnect()
  }
}
