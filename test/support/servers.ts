// The Postgres and the Redis servers that tests run on: real ones, started once for a whole run. A run of single files
// borrows those of a keeper instead (keeper.ts), which stay for the next run.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { findRedisProgram } from '../../local/redis/program.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { IDENTITY, serverUrls, templateName, withDatabaseName } from './databases.ts'
import { borrowServers } from './keeper-lease.ts'
import { REDIS_DATABASES } from './redis.ts'

// At least as many as processes that run tests: BullMQ sees the workers of every database of a server.
const REDIS_SERVERS = 4

// What is tested is not how the disk keeps its promises. A world's database is a copy of files, of which nothing has
// to be logged; and statistics are made where a test wants them.
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
  // Without statistics every statement looks dear, and compiling it takes longer than it does.
  jit: 'off',
}

export const startTestPostgres = (directory: string) =>
  startPostgres({ directory: join(directory, 'postgres'), settings: POSTGRES_SETTINGS })

export const startTestRedis = (directory: string, number: number) =>
  startRedis({ directory: join(directory, `redis-${number}`), databases: REDIS_DATABASES })

/** Puts the addresses into the environment, from which the processes that run tests inherit them. */
export async function openServers(directory: string): Promise<() => Promise<unknown>> {
  const { env } = process
  const isOwn = env.TEST_SERVERS === 'own' || env.CI || env.TEST_DATABASE_URL || env.TEST_REDIS_URLS
  const close = isOwn ? await startServers(directory) : await borrowServers()
  await createTemplate()
  return close
}

// Those that an operator set up are given by their addresses: see test/scale.
async function startServers(directory: string): Promise<() => Promise<unknown>> {
  const { env } = process
  // Where it has to be fetched, that is done once.
  if (!env.TEST_REDIS_URLS) await findRedisProgram()
  const [postgres, redis] = await Promise.all([
    env.TEST_DATABASE_URL ? undefined : startTestPostgres(directory),
    env.TEST_REDIS_URLS
      ? []
      : Promise.all(Array.from({ length: REDIS_SERVERS }, (_, number) => startTestRedis(directory, number))),
  ])
  if (postgres) env.TEST_DATABASE_URL = postgres.url
  if (redis.length > 0) env.TEST_REDIS_URLS = redis.map(({ url }) => url).join(',')
  return () => Promise.all([...redis, ...(postgres ? [postgres] : [])].map((server) => server.stop()))
}

// Migrated once; each world is a copy, which costs a few dozen ms instead of all migrations. It gets its name when it
// is complete: another run may make the same one at the same time.
async function createTemplate(): Promise<void> {
  const { ownerUrl } = serverUrls()
  const server = connectDatabase(ownerUrl, { connectionsMax: 1 })
  const draft = `berth_${randomBytes(6).toString('hex')}`
  const exists = async () =>
    (await server('pg_database').where({ datname: templateName() }).first('oid')) !== undefined
  try {
    if (await exists()) return
    await server.raw(`CREATE DATABASE ${draft} TEMPLATE template0`)
    const template = connectDatabase(withDatabaseName(ownerUrl, draft))
    await migrateUp(template)
    await template('identity').update({ id: IDENTITY })
    await template.destroy()
    await server.raw(`ALTER DATABASE ${draft} RENAME TO ${templateName()}`).catch(async (error) => {
      if (!(await exists())) throw error
      await server.raw(`DROP DATABASE ${draft}`)
    })
  } finally {
    await server.destroy()
  }
}
