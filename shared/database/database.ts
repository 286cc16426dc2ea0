// Connections to Postgres: a knex for code that writes or migrates, a bare pool for reads with prepared
// statements. Timestamps stay text throughout: a JavaScript Date would lose the microseconds.
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import type { Knex } from 'knex'
import pg from 'pg'
import { type DatabaseAddress, Hosts, parseDatabaseAddress } from './hosts.ts'
import { watchConnection, watchPool } from './statements.ts'

// Loaded on first use: a gateway never needs knex, and would start a sixth slower with it.
const require = createRequire(import.meta.url)

const INT8 = 20
const TIMESTAMPTZ = 1184
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(TIMESTAMPTZ, (text: string) => text)

export type DatabaseOptions = {
  applicationName?: string
  /** The name of the pool in metrics; the application's name without “berth-” if unset. */
  poolName?: string
  connectionsMax?: number
  /** How long a connection may take: two seconds for a new one and five for one of a pool if unset. */
  connectTimeoutMs?: number
  /** How long Postgres works on a statement before it cancels it. */
  statementTimeoutMs?: number
  /** How long a statement waits for a lock. */
  lockTimeoutMs?: number
  /** How long a transaction may pause before Postgres ends its connection. */
  idleInTransactionTimeoutMs?: number
  /**
   * How long this side waits for a result. Longer than a statement may take: giving a connection up earlier
   * costs Postgres one more, which nothing counts, until its statement ends.
   */
  queryTimeoutMs?: number
  /** Postgres settings that the connection starts with, in addition to the common ones. */
  settings?: Record<string, string>
  /** Sends statements without waiting for earlier results; anything that keeps a portal open is refused. */
  pipeline?: boolean
  /** Longer than any statement takes, and any pause in a transaction. */
  socketIdleTimeoutMs?: number
}

function connectionSettings(address: DatabaseAddress, options: DatabaseOptions): pg.ClientConfig {
  const settings = Object.entries({ ...SETTINGS, ...options.settings })
  return {
    connectionString: address.hosts[0].url,
    application_name: options.applicationName ?? 'berth',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // Postgres gets its own timeouts when the connection starts.
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    query_timeout: options.queryTimeoutMs,
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' '),
    ...(options.pipeline ? { pipeline: true } : {}),
    ...socketSettings(address, options),
  }
}

// JIT compilation takes Postgres longer than any of our statements, and it compiles every time.
const SETTINGS = { jit: 'off' }

// The driver's own socket is enough for a single host without an idle timeout.
function socketSettings(
  address: DatabaseAddress,
  { socketIdleTimeoutMs }: DatabaseOptions,
): Pick<pg.ClientConfig, 'stream'> {
  const hosts = address.hosts.length > 1 ? new Hosts(address) : undefined
  const open = () => hosts?.socket() ?? new Socket()
  if (socketIdleTimeoutMs !== undefined) return { stream: () => closeWhenIdle(open(), socketIdleTimeoutMs) }
  return hosts ? { stream: open } : {}
}

const SILENT_LOOKS = 4

// A machine that dies sends no notice, and TCP waits a quarter of an hour for an answer to what it has sent.
// So a connection on which nothing passes for this long is closed, even an idle one. The time is split into
// several looks: a process or machine that was suspended for all of it counts one look only.
function closeWhenIdle(socket: Socket, idleTimeoutMs: number): Socket {
  const timeout = Object.assign(new Error('Connection terminated: Postgres stopped responding'), {
    code: 'ETIMEDOUT',
  })
  let silentLooks = 0
  let passedBefore = -1
  socket.on('timeout', () => {
    const passed = socket.bytesRead + socket.bytesWritten
    silentLooks = passed === passedBefore ? silentLooks + 1 : 1
    passedBefore = passed
    if (silentLooks >= SILENT_LOOKS) socket.destroy(timeout)
    else socket.setTimeout(idleTimeoutMs / SILENT_LOOKS)
  })
  return socket.setTimeout(idleTimeoutMs / SILENT_LOOKS)
}

export function connectDatabase(url: string, options: DatabaseOptions = {}): Knex {
  const { knex }: typeof import('knex') = require('knex')
  const address = parseDatabaseAddress(url)
  const name = poolNameOf(options)
  const database = knex({
    client: 'pg',
    connection: connectionSettings(address, options) as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: options.connectionsMax ?? 5,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        watchConnection(name, connection, { isUnnamed: !address.preparesStatements })
        done(null, connection)
      },
    },
    acquireConnectionTimeout: options.connectTimeoutMs ?? 5_000,
    // Otherwise knex puts values into the message of an error if the statement contains a question mark.
    compileSqlOnError: false,
    // The caller gets the error; knex would also print it to standard output, between the lines of the log.
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
  })
  noteKnexPool(name, database)
  return database
}

export function connectPool(url: string, options: DatabaseOptions = {}): pg.Pool {
  const address = parseDatabaseAddress(url)
  const pool = new pg.Pool({ ...connectionSettings(address, options), max: options.connectionsMax ?? 10 })
  // A broken connection is replaced at the next query. Without a listener its error would end the process:
  // the pool's own listener covers idle connections only, not those that are checked out.
  pool.on('error', () => undefined)
  const name = poolNameOf(options)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    watchConnection(name, client, { isUnnamed: !address.preparesStatements })
  })
  watchPool(pool)
  notePool(name, pool)
  return pool
}

function poolNameOf({ poolName, applicationName = 'berth' }: DatabaseOptions): string {
  return poolName ?? applicationName.replace(/^berth-/, '')
}

/** Returns the only row of a statement that always returns one. */
export function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`)
  return row
}

type PoolUse = { pool: string; used: number; idle: number; waiting: number; max: number }
type KnexPool = Record<'numUsed' | 'numFree' | 'numPendingAcquires', () => number> & { max: number }

/** Each returns undefined once its pool is closed. */
const pools = new Set<() => PoolUse | undefined>()

export function notePool(name: string, pool: pg.Pool) {
  note(() => {
    const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool
    return pool.ended ? undefined : { pool: name, used: totalCount - idle, idle, waiting, max: options.max }
  })
}

export function noteKnexPool(name: string, database: Knex) {
  note(() => {
    const pool: KnexPool | undefined = database.client.pool
    if (!pool) return undefined
    const [used, idle, waiting] = [pool.numUsed(), pool.numFree(), pool.numPendingAcquires()]
    return { pool: name, used, idle, waiting, max: pool.max }
  })
}

export function listPools(): PoolUse[] {
  return [...pools].flatMap((useOf) => {
    const use = useOf()
    if (!use) pools.delete(useOf)
    return use ?? []
  })
}

function note(useOf: () => PoolUse | undefined) {
  // Forgets the connections that have closed.
  listPools()
  pools.add(useOf)
}
