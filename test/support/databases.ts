// Databases of tests: each a copy of the migrated template.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import pg from 'pg'
import { connectDatabase, type DatabaseOptions } from '../../shared/database/database.ts'
import { hooks } from './hooks.ts'
import { use, useWith } from './use.ts'

hooks.needsServers = true

/** The migrated database that those of tests are copies of: another one for each change of the migrations. */
export const templateName = () => {
  template ??= `berth_template_${hashMigrations()}`
  return template
}
let template: string | undefined

function hashMigrations(): string {
  const hash = createHash('sha256')
  const folder = join(import.meta.dirname, '../../migrations')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[tj]s$/.test(name),
  )
  for (const name of files.sort()) hash.update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

// A busy machine takes long; what a test looks at by itself is not what it tests.
const CONNECT_TIMEOUT_MS = 30_000

/** A test's own look at a database. */
export function connectPatiently(databaseUrl: string, options: DatabaseOptions = {}): Knex {
  return connectDatabase(databaseUrl, { connectTimeoutMs: CONNECT_TIMEOUT_MS, ...options })
}

/** Of all databases of tests, as far as one does not say otherwise. */
export const IDENTITY = 'test'
export const KEYS = { prefix: 'berth', database: IDENTITY }

export function withDatabaseName(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

export function serverUrls() {
  const {
    TEST_DATABASE_URL: databaseUrl,
    TEST_OWNER_DATABASE_URL: ownerUrl,
    TEST_REDIS_URLS: redisUrls,
    MOCHA_WORKER_ID: worker = '0',
  } = process.env
  if (!databaseUrl || !redisUrls)
    throw new Error('Run by mocha only: its global setup starts Postgres and Redis')
  const servers = redisUrls.split(',')
  return {
    databaseUrl,
    ownerUrl: ownerUrl || databaseUrl,
    redisUrl: servers[Number(worker) % servers.length] ?? '',
  }
}

/** A database of its own; `empty` leaves even the tables out. */
export async function createDatabase({
  empty = false,
} = {}): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const { databaseUrl } = serverUrls()
  const name = `berth_${randomBytes(6).toString('hex')}`
  await onServer(
    `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : templateName()} STRATEGY FILE_COPY`,
  )
  return {
    databaseUrl: withDatabaseName(databaseUrl, name),
    drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

type Database = Awaited<ReturnType<typeof createDatabase>>

/** The database of a suite; with `each`, one for each of its tests. */
export function useDatabase(options: { empty?: boolean; each?: boolean } = {}): Database {
  return use(() => createDatabase(options), { close: (database) => database.drop(), each: options.each })
}

export function useConnection(
  database: { databaseUrl: string },
  options: { connectionsMax?: number } = {},
): Knex {
  return useWith(
    database,
    () => connectPatiently(database.databaseUrl, options),
    (connection) => connection.destroy(),
  )
}

/** For what takes the driver's own. */
export function usePool(database: { databaseUrl: string }): pg.Pool {
  return useWith(
    database,
    () => {
      const pool = new pg.Pool({ connectionString: database.databaseUrl })
      // It takes its end for done before its connections have ended: dropping the database may end them.
      return pool.on('connect', (client) => client.on('error', () => undefined))
    },
    (pool) => pool.end(),
  )
}

async function onServer(statement: string): Promise<void> {
  const server = connectPatiently(serverUrls().ownerUrl, { connectionsMax: 1 })
  try {
    await server.raw(statement)
  } finally {
    await server.destroy()
  }
}

/**
 * The statements that this process sends to Postgres during some work, in order, including those of timers that run
 * meanwhile.
 */
export async function listStatements(work: () => Promise<unknown>): Promise<string[]> {
  const original = pg.Client.prototype.query
  const texts: string[] = []
  const noted = function (this: pg.Client, ...parameters: unknown[]) {
    const [query] = parameters
    texts.push(typeof query === 'string' ? query : String((query as { text?: string }).text))
    return Reflect.apply(original, this, parameters)
  }
  Object.assign(pg.Client.prototype, { query: noted })
  try {
    await work()
  } finally {
    Object.assign(pg.Client.prototype, { query: original })
  }
  return texts
}
