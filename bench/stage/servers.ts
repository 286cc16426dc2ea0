// The Postgres and Redis of a benchmark: started in a temporary folder, or those of the tests.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase, onlyRow } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { startDebianPostgres } from '../../test/scale/stage/debian-postgres.ts'
import { parentOf } from './process-table.ts'
import { builtFile } from './scripts.ts'

export type Servers = {
  databaseUrl: string
  redisUrl: string
  postgresPid: number
  redisPid: number
  /** For logs and other leftovers. */
  directory: string
  stop(): Promise<void>
}

const STATISTICS = 'pg_stat_statements'

const POSTGRES_SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  min_wal_size: '256MB',
  max_connections: '400',
  shared_preload_libraries: STATISTICS,
}

/** `version` is that of an installed Debian package; without it, the PostgreSQL of `npm start`. */
export async function startServers(version?: number): Promise<Servers> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const [postgres, redis] = await Promise.all([
    version
      ? startDebianPostgres(version, POSTGRES_SETTINGS)
      : startPostgres({ directory: join(directory, 'postgres'), settings: POSTGRES_SETTINGS }),
    startRedis({ directory: join(directory, 'redis') }),
  ])
  return {
    ...(await serversAt(postgres.url, redis.url, directory)),
    async stop() {
      await Promise.all([redis.stop(), postgres.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Servers that already run on this machine. */
export async function serversAt(databaseUrl: string, redisUrl: string, directory: string): Promise<Servers> {
  return {
    databaseUrl,
    redisUrl,
    postgresPid: await findPostgresPid(databaseUrl),
    redisPid: await findRedisPid(redisUrl),
    directory,
    stop: async () => undefined,
  }
}

/** Creates a database with the migrations of this checkout, of another one or with none; returns its address. */
export async function createDatabase(
  { databaseUrl }: Servers,
  name: string,
  { checkout, isEmpty = false }: { checkout?: string; isEmpty?: boolean } = {},
): Promise<string> {
  const server = connectDatabase(databaseUrl)
  await server.raw('CREATE DATABASE ??', [name])
  // Statistics cost a little, so counters enable them when needed.
  if (await hasStatistics(server))
    await server.raw(`ALTER DATABASE ?? SET ${STATISTICS}.track = 'none'`, [name])
  await server.destroy()
  const address = new URL(databaseUrl)
  address.pathname = `/${name}`
  if (checkout) await migrateAs(checkout, address.href)
  else if (!isEmpty) {
    const database = connectDatabase(address.href)
    await migrateUp(database)
    await database.destroy()
  }
  return address.href
}

async function migrateAs(checkout: string, url: string): Promise<void> {
  await promisify(execFile)(process.execPath, [builtFile('commands/migrate.js', checkout)], {
    cwd: checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: url },
  })
}

/** Whether this Postgres can count statements. */
export async function hasStatistics(database: Knex): Promise<boolean> {
  const { rows } = await database.raw<{ rows: Array<{ loaded: string }> }>(
    "SELECT current_setting('shared_preload_libraries') AS loaded",
  )
  return onlyRow(rows).loaded.includes(STATISTICS)
}

/** The address of a numbered Redis database. */
export function redisUrlOf({ redisUrl }: Servers, number: number): string {
  const address = new URL(redisUrl)
  address.pathname = `/${number}`
  return address.href
}

async function findPostgresPid(url: string): Promise<number> {
  const database = connectDatabase(url, { connectionsMax: 1 })
  try {
    const { rows } = await database.raw<{ rows: Array<{ pid: number }> }>('SELECT pg_backend_pid() AS pid')
    return parentOf(onlyRow(rows).pid)
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
