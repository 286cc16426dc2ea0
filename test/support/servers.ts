// Starts real Postgres and Redis servers once for a whole test run. A run of single files borrows the servers of a
// keeper instead (keeper.ts).
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { findRedisProgram } from '../../local/redis/program.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { getTemplateName, IDENTITY, readServerUrls, withDatabaseName } from './databases.ts'
import { borrowServers } from './keeper-lease.ts'
import { REDIS_DATABASES } from './redis.ts'

// At least the number of test processes, because BullMQ sees the workers of all databases of a server.
const REDIS_SERVER_COUNT = 4

// Turns off durability, WAL for database copies and automatic statistics, which the tests do not need.
const POSTGRES_SETTINGS = {
  max_connections: '400',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  io_method: 'sync',
  // Without statistics every statement looks expensive, and compiling it takes longer than running it.
  jit: 'off',
}

export const startTestPostgres = (directory: string) =>
  startPostgres({ directory: join(directory, 'postgres'), settings: POSTGRES_SETTINGS })

export const startTestRedis = (directory: string, number: number) =>
  startRedis({ directory: join(directory, `redis-${number}`), databases: REDIS_DATABASES })

/** Starts the servers, and puts their URLs into the environment, which test processes inherit. */
export async function openServers(directory: string): Promise<() => Promise<unknown>> {
  const { env } = process
  const isOwn = env.TEST_SERVERS === 'own' || env.CI || env.TEST_DATABASE_URL || env.TEST_REDIS_URLS
  const close = isOwn ? await startServers(directory) : await borrowServers()
  await createTemplate()
  return close
}

// Uses servers that an operator set up if the environment contains their URLs (see test/scale).
async function startServers(directory: string): Promise<() => Promise<unknown>> {
  const { env } = process
  // Downloads Redis once, if necessary.
  if (!env.TEST_REDIS_URLS) await findRedisProgram()
  const [postgres, redis] = await Promise.all([
    env.TEST_DATABASE_URL ? undefined : startTestPostgres(directory),
    env.TEST_REDIS_URLS
      ? []
      : Promise.all(
          Array.from({ length: REDIS_SERVER_COUNT }, (_, number) => startTestRedis(directory, number)),
        ),
  ])
  if (postgres) env.TEST_DATABASE_URL = postgres.url
  if (redis.length > 0) env.TEST_REDIS_URLS = redis.map(({ url }) => url).join(',')
  return () => Promise.all([...redis, ...(postgres ? [postgres] : [])].map((server) => server.stop()))
}

// Creates the migrated database that each world copies. Renames it when it is complete, because another run may create
// the same template at the same time.
async function createTemplate(): Promise<void> {
  const { ownerUrl } = readServerUrls()
  const server = connectDatabase(ownerUrl, { connectionsMax: 1 })
  const draft = `berth_${randomBytes(6).toString('hex')}`
  const exists = async () =>
    (await server('pg_database').where({ datname: getTemplateName() }).first('oid')) !== undefined
  try {
    if (await exists()) return
    await server.raw(`CREATE DATABASE ${draft} TEMPLATE template0`)
    const template = connectDatabase(withDatabaseName(ownerUrl, draft))
    await migrateUp(template)
    await template('identity').update({ id: IDENTITY })
    await template.destroy()
    await server.raw(`ALTER DATABASE ${draft} RENAME TO ${getTemplateName()}`).catch(async (error) => {
      if (!(await exists())) throw error
      await server.raw(`DROP DATABASE ${draft}`)
    })
  } finally {
    await server.destroy()
  }
}
