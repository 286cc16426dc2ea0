// Creates databases for tests, which are copies of a migrated template.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import pg from 'pg'
import { connectDatabase, type DatabaseOptions } from '../../shared/database/database.ts'
import { hooks } from './hooks.ts'
import { use, useWith } from './use.ts'

hooks.needsServers = true

/** Returns the name of the migrated template database, which changes with the migrations. */
export const getTemplateName = () => {
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

// A long timeout for the tests' own connections, because a busy machine takes long to connect.
const CONNECT_TIMEOUT_MS = 30_000

/** Connects a test to a database for its own queries. */
export function connectPatiently(databaseUrl: string, options: DatabaseOptions = {}): Knex {
  return connectDatabase(databaseUrl, { connectTimeoutMs: CONNECT_TIMEOUT_MS, ...options })
}

/** The identity of all test databases, unless a database sets another one. */
export const IDENTITY = 'test'
export const KEYS = { prefix: 'berth', database: IDENTITY }

export function withDatabaseName(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

export function readServerUrls() {
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

/** Creates a separate database. `empty` omits even the tables. */
export async function createDatabase({
  empty = false,
} = {}): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const { databaseUrl } = readServerUrls()
  const name = `berth_${randomBytes(6).toString('hex')}`
  await executeOnServer(
    `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : getTemplateName()} STRATEGY FILE_COPY`,
  )
  return {
    databaseUrl: withDatabaseName(databaseUrl, name),
    drop: () => executeOnServer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

type Database = Awaited<ReturnType<typeof createDatabase>>

/** Creates a database for a suite or, with `each`, for each of its tests. */
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

/** Returns a pool for code that expects the driver's own pool. */
export function usePool(database: { databaseUrl: string }): pg.Pool {
  return useWith(
    database,
    () => {
      const pool = new pg.Pool({ connectionString: database.databaseUrl })
      // The pool may end before its connections, which dropping the database then breaks. Ignores these errors.
      return pool.on('connect', (client) => client.on('error', () => undefined))
    },
    (pool) => pool.end(),
  )
}

async function executeOnServer(statement: string): Promise<void> {
  const server = connectPatiently(readServerUrls().ownerUrl, { connectionsMax: 1 })
  try {
    await server.raw(statement)
  } finally {
    await server.destroy()
  }
}

/** Returns the statements that the process sends to Postgres during some work, in order. */
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
