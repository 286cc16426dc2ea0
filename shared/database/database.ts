// Connections to Postgres: knex for code that writes or migrates, and a plain pool for reads with prepared statements.
// Timestamps always stay text, because a JavaScript Date would lose the microseconds.
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import type { Knex } from 'knex'
import pg from 'pg'
import { type DatabaseAddress, HostFinder, parseDatabaseAddress } from './hosts.ts'
import { watchConnection, watchPool } from './statements.ts'

// Loads knex on first use: a gateway never needs knex, and loading it would make a start a sixth slower.
const require = createRequire(import.meta.url)

const INT8_OID = 20
const TIMESTAMPTZ_OID = 1184
pg.types.setTypeParser(INT8_OID, Number)
pg.types.setTypeParser(TIMESTAMPTZ_OID, (text: string) => text)

export type DatabaseOptions = {
  applicationName?: string
  /** The name of the pool in metrics. Defaults to the application's name without “berth-”. */
  poolName?: string
  connectionsMax?: number
  /**
   * The time limit for connecting. Defaults to two seconds for a new connection and five seconds for one from a pool.
   */
  connectTimeoutMs?: number
  /** The time limit for a statement, after which Postgres cancels it. */
  statementTimeoutMs?: number
  /** The time limit for a statement that waits for a lock. */
  lockTimeoutMs?: number
  /** The time limit for a pause in a transaction, after which Postgres ends the connection. */
  idleInTransactionTimeoutMs?: number
  /**
   * The time limit for waiting for a result. Must be longer than the statement timeout: when the client gives up
   * earlier and opens another connection, Postgres keeps the first connection busy until the statement ends.
   */
  queryTimeoutMs?: number
  /** Postgres settings of the connection, in addition to those that every connection has. */
  settings?: Record<string, string>
  /**
   * Sends statements without waiting for earlier results. Refuses cursors and anything else that keeps a portal open.
   */
  pipeline?: boolean
  /**
   * How long a connection may be idle before it is closed. Must be longer than any statement and any pause in a
   * transaction.
   */
  socketIdleTimeoutMs?: number
}

function createConnectionSettings(address: DatabaseAddress, options: DatabaseOptions): pg.ClientConfig {
  const settings = Object.entries({ ...SESSION_SETTINGS, ...options.settings })
  return {
    connectionString: address.hosts[0].url,
    application_name: options.applicationName ?? 'berth',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // Postgres applies these timeouts from the start of the connection.
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    query_timeout: options.queryTimeoutMs,
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' '),
    ...(options.pipeline ? { pipeline: true } : {}),
    ...createSocketSettings(address, options),
  }
}

const SESSION_SETTINGS = {
  // JIT compilation takes longer than any of Berth's statements, and Postgres repeats it every time.
  jit: 'off',
  // If the machine of a process vanishes, Postgres notices after a minute and releases the locks of the process. By
  // default, this takes over two hours. Postgres ignores these settings on a Unix socket.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}

// Returns the driver's socket settings. The driver's own socket is enough for a single host without an idle timeout.
function createSocketSettings(
  address: DatabaseAddress,
  { socketIdleTimeoutMs }: DatabaseOptions,
): Pick<pg.ClientConfig, 'stream'> {
  const hosts = address.hosts.length > 1 ? new HostFinder(address) : undefined
  const open = () => hosts?.socket() ?? new Socket()
  if (socketIdleTimeoutMs !== undefined) return { stream: () => closeWhenIdle(open(), socketIdleTimeoutMs) }
  return hosts ? { stream: open } : {}
}

const IDLE_CHECK_COUNT = 4

// When the other machine crashes, this process gets no notice, and TCP waits 15 minutes for a response. So a connection
// without traffic for this long is closed, even if no query is running. The time is split into several checks: if the
// process or machine was suspended for all of that time, only one check counts.
function closeWhenIdle(socket: Socket, idleTimeoutMs: number): Socket {
  const timeout = Object.assign(new Error('Connection terminated: Postgres stopped responding'), {
    code: 'ETIMEDOUT',
  })
  let silentChecks = 0
  let passedBefore = -1
  socket.on('timeout', () => {
    const passed = socket.bytesRead + socket.bytesWritten
    silentChecks = passed === passedBefore ? silentChecks + 1 : 1
    passedBefore = passed
    if (silentChecks >= IDLE_CHECK_COUNT) socket.destroy(timeout)
    else socket.setTimeout(idleTimeoutMs / IDLE_CHECK_COUNT)
  })
  return socket.setTimeout(idleTimeoutMs / IDLE_CHECK_COUNT)
}

export function connectDatabase(url: string, options: DatabaseOptions = {}): Knex {
  const { knex }: typeof import('knex') = require('knex')
  const address = parseDatabaseAddress(url)
  const name = getPoolName(options)
  const database = knex({
    client: 'pg',
    connection: createConnectionSettings(address, options) as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: options.connectionsMax ?? 5,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        watchConnection(name, connection, { isUnnamed: !address.preparesStatements })
        done(null, connection)
      },
    },
    acquireConnectionTimeout: options.connectTimeoutMs ?? 5_000,
    // Without this option, knex puts values into an error's message if the statement contains a question mark.
    compileSqlOnError: false,
    // Knex also prints errors to standard output by default, between the lines of the log. The caller gets the error
    // anyway.
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
  })
  registerKnexPool(name, database)
  return database
}

export function connectPool(url: string, options: DatabaseOptions = {}): pg.Pool {
  const address = parseDatabaseAddress(url)
  const pool = new pg.Pool({
    ...createConnectionSettings(address, options),
    max: options.connectionsMax ?? 10,
  })
  // The pool replaces a broken connection at the next query. Without this listener, the connection's error would end
  // the process: the pool's own listener covers idle connections only, not those in use.
  pool.on('error', () => undefined)
  const name = getPoolName(options)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    watchConnection(name, client, { isUnnamed: !address.preparesStatements })
  })
  watchPool(pool)
  registerPool(name, pool)
  return pool
}

function getPoolName({ poolName, applicationName = 'berth' }: DatabaseOptions): string {
  return poolName ?? applicationName.replace(/^berth-/, '')
}

/** Returns the only row, for a statement that always returns exactly one. */
export function getOnlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`)
  return row
}

type PoolUse = { pool: string; used: number; idle: number; waiting: number; max: number }
type KnexPool = Record<'numUsed' | 'numFree' | 'numPendingAcquires', () => number> & { max: number }

/** Functions that report the use of each pool, or undefined once the pool is closed. */
const poolReaders = new Set<() => PoolUse | undefined>()

export function registerPool(name: string, pool: pg.Pool) {
  registerUse(() => {
    const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool
    return pool.ended ? undefined : { pool: name, used: totalCount - idle, idle, waiting, max: options.max }
  })
}

export function registerKnexPool(name: string, database: Knex) {
  registerUse(() => {
    const pool: KnexPool | undefined = database.client.pool
    if (!pool) return undefined
    const [used, idle, waiting] = [pool.numUsed(), pool.numFree(), pool.numPendingAcquires()]
    return { pool: name, used, idle, waiting, max: pool.max }
  })
}

export function listPools(): PoolUse[] {
  return [...poolReaders].flatMap((useOf) => {
    const use = useOf()
    if (!use) poolReaders.delete(useOf)
    return use ?? []
  })
}

function registerUse(useOf: () => PoolUse | undefined) {
  // Listing the pools removes those that have closed.
  listPools()
  poolReaders.add(useOf)
}
